import type { Plugin } from 'rolldown';

export const bundleStubs: Plugin;
