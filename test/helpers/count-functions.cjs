'use strict';
/**
 * Loaded with `node --require`: writes to the file COUNT_FILE how often functions and blocks of the program were run. No
 * time, so it is the same on a busy machine.
 */
const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    if (error !== null) throw error;
    const own = answer.result.filter(({ url }) => !url.startsWith('node:'));
    const ranges = own.flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
    writeFileSync(process.env.COUNT_FILE, String(ranges.reduce((sum, { count }) => sum + count, 0)));
  });
});
