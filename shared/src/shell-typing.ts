/** Texts that a shell command types on the screen, which are masked like other typed texts. Pure. docs/decisions/0278 */

/**
 * The texts of the calls of `input text` in a command or a script; empty: none was recognised. Takes time in proportion to the
 * length of the script, which a tenant chooses.
 */
export const typedByShell = (script: string): string[] =>
  script.split(/[\n;|&]/).flatMap((call) => {
    const at = call.search(/\binput\b/)
    const [, text] = (at < 0 ? null : /\btext\s+(\S[^]*)/.exec(call.slice(at))) ?? []
    if (text === undefined) return []
    const word = text.trim().replace(/^(['"])(.*)\1$/, '$2')
    return [word.replaceAll('%s', ' ')]
  })
