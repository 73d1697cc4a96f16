import { afterEach, expect } from 'vitest';

afterEach(() => {
  void expect;
});
