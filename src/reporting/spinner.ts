import { printable } from '../lib/printable.ts';

const FRAMES = { unicode: ['◐', '◓', '◑', '◒'], ascii: ['-', '\\', '|', '/'] } as const;

/**
 * Shows that long work goes on, on one line that is erased afterwards. Only for a terminal: the caller passes it
 * nowhere else. The work's own result or error goes through.
 */
export function createSpinner(
  write: (text: string) => void,
  unicode: boolean,
): <T>(label: string, work: () => Promise<T>) => Promise<T> {
  const frames = unicode ? FRAMES.unicode : FRAMES.ascii;
  return async (label, work) => {
    let frame = 0;
    const draw = () => {
      write(`\r\u001b[2K${frames[frame % frames.length]} ${printable(label)}`);
      frame += 1;
    };
    draw();
    const timer = setInterval(draw, 120);
    timer.unref();
    try {
      return await work();
    } finally {
      clearInterval(timer);
      write('\r\u001b[2K');
    }
  };
}
