// Its worker.

import './files.js';
import '../../../www/worker.js';
