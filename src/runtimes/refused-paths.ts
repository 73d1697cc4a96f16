/** Files that start something by being there: version control, CI, shells, environments, tenon's own (contract, section 6). */
const REFUSED: readonly RegExp[] = [
  /^\.git(\/|$)/u,
  /^\.tenon(\/|$)/u,
  /^\.github\/(workflows|actions)(\/|$)/u,
  /^\.(circleci|gitlab|buildkite|woodpecker|husky|devcontainer)(\/|$)/u,
  /^\.(forgejo|gitea)\/workflows(\/|$)/u,
  /(^|\/)(\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.drone\.ya?ml|\.woodpecker\.ya?ml)$/u,
  /(^|\/)(azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile)$/u,
  /(^|\/)\.(envrc|bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|zlogout)$/u,
  /(^|\/)\.(gitmodules|gitconfig|gitattributes|npmrc|yarnrc|yarnrc\.yml|pre-commit-config\.yaml)$/u,
];

/** Whether a `file` artifact may never be written at this repository-relative path; case is ignored as on NTFS and APFS. */
export const isRefusedPath = (path: string): boolean => {
  const folded = path.normalize('NFC').toLowerCase();
  return REFUSED.some((pattern) => pattern.test(folded));
};
