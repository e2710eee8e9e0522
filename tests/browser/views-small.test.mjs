// Every view and dialog on small screens.

import { testEveryView } from './views.mjs';

testEveryView(390, 'dark');
testEveryView(360, 'light');
