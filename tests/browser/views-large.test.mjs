// Every view and dialog on a large screen.

import { testEveryView } from './views.mjs';

testEveryView(1440, 'light');
testEveryView(1440, 'dark');
