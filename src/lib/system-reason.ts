const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EACCES: 'access was denied',
  EPERM: 'the system does not permit it',
  EBUSY: 'the file is in use, or is a mount point',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the system allows',
  EXDEV: 'it lies on another file system',
  EIO: 'the disk reports a fault',
  ELOOP: 'links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** What a code of the system, such as ENOSPC, means for a user; undefined for one without a text. */
export const systemReason = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : REASONS[code];
