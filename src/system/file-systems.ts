import fs from 'node:fs';

/** Numbers of statfs(2) on Linux (linux/magic.h; zfs and bcachefs have theirs in their own headers). */
const ON_THIS_MACHINE: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x5846_5342, // xfs
  0x9123_683e, // btrfs
  0x2fc1_2fc1, // zfs
  0xca45_1a4e, // bcachefs
  0xf2f5_2010, // f2fs
  0x0102_1994, // tmpfs
  0x794c_7630, // overlayfs
  0xe0f5_e1e2, // erofs
  0x7371_7368, // squashfs
]);

/**
 * Whether the facts of a path tell at once that it has changed (unchanged.ts). On Linux only where that is known of the file
 * system: one of another machine may give facts from its memory for a minute, FAT keeps no time of change of its own, and
 * what /proc shows has no times at all. Elsewhere the system does not say which one it is.
 */
export function tellsChanges(path: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return ON_THIS_MACHINE.has(fs.statfsSync(path).type >>> 0);
  } catch {
    return false;
  }
}
