/** Completion scripts, generated from the tree of commands. The scripts start no program while a person types. */
import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

interface Node {
  /** The subcommand, such as `phone tap`; empty for the program itself. */
  path: string
  description: string
  subcommands: string[]
  options: { long: string; description: string }[]
}

function nodesOf(command: Command, words: readonly string[] = []): Node[] {
  const options = [
    ...command.options.map(({ long, description }) => ({ long: long ?? '', description })),
    { long: '--help', description: 'show help' },
  ]
  return [
    {
      path: words.join(' '),
      description: command.description(),
      options,
      subcommands: command.commands.map((each) => each.name()),
    },
    ...command.commands.flatMap((each) => nodesOf(each, [...words, each.name()])),
  ]
}

export function completionScript(program: Command, shell: Shell): string {
  const nodes = nodesOf(program)
  const global = nodes[0]?.options.map(({ long }) => long) ?? []
  return shell === 'fish' ? fish(nodes) : shell === 'zsh' ? zsh(nodes, global) : bash(nodes, global)
}

const wordsOf = ({ subcommands, options }: Node, global: readonly string[]): string =>
  [...new Set([...subcommands, ...options.map(({ long }) => long), ...global])].join(' ')

const pathCases = (nodes: readonly Node[]): string =>
  nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => {
      const at = path.lastIndexOf(' ')
      return `'${at < 0 ? '' : path.slice(0, at)}|${path.slice(at + 1)}'`
    })
    .join('|')

const wordCases = (nodes: readonly Node[], global: readonly string[]): string =>
  nodes.map((node) => `    '${node.path}') words='${wordsOf(node, global)}' ;;`).join('\n')

const bash = (nodes: readonly Node[], global: readonly string[]): string => `# bash completion of phonerack
_phonerack() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path|$word" in
    ${pathCases(nodes)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${wordCases(nodes, global)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _phonerack phonerack
`

const zsh = (nodes: readonly Node[], global: readonly string[]): string => `#compdef phonerack
_phonerack() {
  local place='' word list=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place|$word" in
    ${pathCases(nodes)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${wordCases(nodes, global).replaceAll(" words='", " list='")}
  esac
  compadd -- \${(s: :)list}
  _files
}
# The file is loaded as the function itself, or sourced.
if [[ "\${funcstack[1]}" == _phonerack ]]; then
  _phonerack "$@"
else
  compdef _phonerack phonerack
fi
`

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fish(nodes: readonly Node[]): string {
  const described = new Map(nodes.map(({ path, description }) => [path, description]))
  const lines = nodes.flatMap((node) => {
    const at = `-n ${quoted(`__phonerack_at ${JSON.stringify(node.path)}`)}`
    const child = (name: string): string =>
      described.get(node.path === '' ? name : `${node.path} ${name}`) ?? ''
    return [
      ...node.subcommands.map(
        (name) => `complete -c phonerack -f ${at} -a ${name} -d ${quoted(child(name))}`,
      ),
      ...node.options.map(({ long, description }) => {
        const condition = node.path === '' ? '' : `${at} `
        return `complete -c phonerack ${condition}-l ${long.slice(2)} -d ${quoted(description)}`
      }),
    ]
  })
  return `# fish completion of phonerack
function __phonerack_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place|$word"
    case ${pathCases(nodes).replaceAll("'|'", "' '")}
      set place (string trim "$place $word")
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}
