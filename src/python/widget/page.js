// The embedded page in a notebook.

import './files.js';
import '../../../www/main.js';
