/** The command with which a machine becomes a host. */
import { useMutation } from '@tanstack/react-query'
import { call, messageOf } from '../../api/client'
import { Button } from '../../ui/button'
import { Copy } from '../../ui/copy'
import { Dialog, DialogButtons } from '../../ui/dialog'
import { FormError } from '../../ui/field'

interface Props {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function Join({ isOpen, onOpenChange }: Props) {
  const create = useMutation({ mutationFn: () => call('POST /operator/hosts/join-tokens', {}) })
  const close = (open: boolean): void => {
    create.reset()
    onOpenChange(open)
  }
  const made = create.data
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={close}
      isSticky={made !== undefined}
      title={made ? 'Run this on the machine' : 'Add a host'}
      description={
        made
          ? `It contains a token that works once, within an hour, and is not shown again. Install the package phonerack-agent first.${made.command.includes(' COUNTRY ') ? ' Replace COUNTRY with the two letters of the country that the machine is in.' : ''}`
          : 'You get a command for the machine that the phones are connected to. Its phones are listed as soon as it has joined.'
      }
    >
      {made ? (
        <>
          <div className="grid grid-cols-1 gap-2">
            <pre
              tabIndex={0}
              aria-label="Command"
              className="max-h-60 overflow-y-auto rounded-md border border-border bg-code p-3 font-mono text-[13px] break-all whitespace-pre-wrap"
            >
              {made.command}
            </pre>
            <div className="flex justify-end gap-2">
              <Copy text={made.command} what="command" isLabelled />
              <Button look="primary" onClick={() => close(false)}>
                Done
              </Button>
            </div>
          </div>
        </>
      ) : (
        <>
          <FormError>{create.error && messageOf(create.error)}</FormError>
          <DialogButtons>
            <Button look="primary" isBusy={create.isPending} onClick={() => create.mutate()}>
              Create command
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  )
}
