import fc from 'fast-check';

// Other values in each run, unless a seed is given: `.ci/run` gives one for each state of the files, so that a state that
// passed passes again.
const seed = process.env['TENON_TEST_SEED'];
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export { default } from 'fast-check';
