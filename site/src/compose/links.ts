/** Converts links of documents in the repository to links of the site. Pure. */

/** GitHub's anchor of a heading, which links in the repository use. */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Code, which stays as it is, or a link with its text and target. */
const codeOrLink = /^( *)```[\s\S]*?^\1```$|!?\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s]+)\)|`[^`\n]*`/gm

/** References to decisions in parentheses: only their numbers would stay. */
const decisions = / \(\[\d{4}\]\([^)]*\)(?:(?:,| and) \[\d{4}\]\([^)]*\))*\)/g

/** @param place returns the address of a link on the site; null: the site does not have it, and only the text stays */
export const replaceLinks = (markdown: string, place: (target: string) => string | null): string =>
  markdown
    .replaceAll(decisions, '')
    .replaceAll(codeOrLink, (whole, _indent, text: string | undefined, target: string | undefined) => {
      if (text === undefined || target === undefined) return whole
      const found = /^[a-z]+:/.test(target) ? target : place(target)
      return found === null ? text : `[${text}](${found})`
    })
