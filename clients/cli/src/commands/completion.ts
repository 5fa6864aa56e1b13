/** `completion bash|zsh|fish`: a script that completes commands and options. */
import type { Command } from 'commander'
import type { App } from '../app.js'
import { completionScript, shells, type Shell } from '../completion-script.js'
import { UsageError } from '../usage-error.js'

export function addCompletionCommand(program: Command, app: App): void {
  app.on(
    program
      .command('completion')
      .description('print a completion script: bash, zsh or fish')
      .argument('<shell>')
      .addHelpText(
        'after',
        `
bash: phonerack completion bash > ~/.local/share/bash-completion/completions/phonerack
zsh:  phonerack completion zsh > "\${fpath[1]}/_phonerack"
fish: phonerack completion fish > ~/.config/fish/completions/phonerack.fish`,
      ),
    async (run, [shell = '']) => {
      if (!shells.includes(shell as Shell)) throw new UsageError(`The shell must be ${shells.join(', ')}.`)
      await run.io.out(completionScript(program, shell as Shell))
    },
  )
}
