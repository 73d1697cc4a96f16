/** Files that start something by being there: version control, CI, shells, environments, tenon's own (contract, section 6). */
const REFUSED: readonly RegExp[] = [
  // At any depth: a folder with a git folder in it is a repository of its own, whose settings name programs that git runs.
  // `git~1` is the short name of `.git` on NTFS.
  /(^|\/)(\.git|git~\d+)(\/|$)/u,
  /^\.tenon(\/|$)/u,
  /^\.github\/(workflows|actions)(\/|$)/u,
  /^\.(circleci|gitlab|buildkite|woodpecker|husky|devcontainer)(\/|$)/u,
  /^\.(forgejo|gitea)\/workflows(\/|$)/u,
  /(^|\/)(\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|\.woodpecker\.ya?ml)$/u,
  /(^|\/)(azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile)$/u,
  /(^|\/)\.(envrc|bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|logout|xprofile|xinitrc)$/u,
  /(^|\/)\.config\/fish(\/|$)/u,
  /(^|\/)\.(gitmodules|gitconfig|gitattributes|npmrc|yarnrc|yarnrc\.yml|pre-commit-config\.yaml)$/u,
];

/** Characters that HFS+ ignores in names: `.g\u200cit` is `.git` there (CVE-2014-9390). */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;

/**
 * Whether a `file` artifact may never be written at this repository-relative path; case is ignored as on NTFS and APFS,
 * and so are characters that HFS+ ignores.
 */
export const isRefusedPath = (path: string): boolean => {
  const folded = path.replace(IGNORED, '').normalize('NFC').toLowerCase();
  return REFUSED.some((pattern) => pattern.test(folded));
};
