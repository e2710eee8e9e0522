// The embedded page in a notebook.

import './files.js';
import '../../../target/published/main.js';
