'use strict';
const { lane } = require('./load.cjs');

lane();
