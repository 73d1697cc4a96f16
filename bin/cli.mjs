#!/usr/bin/env node
// For those who name this file by its path; the program is cli.cjs.
import './cli.cjs';
