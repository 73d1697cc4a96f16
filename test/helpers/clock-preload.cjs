'use strict';
/**
 * Loaded with `node --require`: the clock of the machine is wrong, or is set while the process runs.
 *
 * CLOCK_AT      what it shows at the beginning, milliseconds since 1970; it goes on from there
 * CLOCK_JUMP    milliseconds by which it is set, forwards or back, at each look at it
 */
const { CLOCK_AT, CLOCK_JUMP } = process.env;
const RealDate = Date;
const began = RealDate.now();
let looks = 0;
const now = () => {
  looks += 1;
  const base = CLOCK_AT === undefined ? RealDate.now() : Number(CLOCK_AT) + RealDate.now() - began;
  return base + looks * Number(CLOCK_JUMP ?? 0);
};
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static now() {
    return now();
  }
};
