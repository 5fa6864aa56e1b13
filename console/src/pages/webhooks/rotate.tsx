/** Replaces the secret of a webhook, and shows the new secret once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, messageOf } from '../../api/client'
import { type Webhook } from '../../api/types'
import { Button } from '../../ui/button'
import { Dialog, DialogButtons } from '../../ui/dialog'
import { FormError } from '../../ui/field'
import { ShownSecret } from './secret'

interface Props {
  project: string
  webhook: Webhook
  isOpen: boolean
  onClose: () => void
}

export function Rotate({ project, webhook, isOpen, onClose }: Props) {
  const queries = useQueryClient()
  const rotate = useMutation({
    mutationFn: () =>
      call('POST /projects/:project/webhooks/:webhook/rotate', { project, webhook: webhook.id }),
    // The secret is kept only while it is shown.
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks', project] }),
  })
  const close = (): void => {
    rotate.reset()
    onClose()
  }
  const made = rotate.data
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={close}
      isSticky={made !== undefined}
      closeQuestion={made ? 'Close without copying the secret?' : undefined}
      title={made ? 'Copy the new secret now' : 'Rotate the secret'}
      description={
        made
          ? 'It is not shown again.'
          : 'For a day, requests are signed with both the new secret and the present secret.'
      }
    >
      {made ? (
        <ShownSecret secret={made.secret} onDone={close} />
      ) : (
        <>
          <p className="font-mono text-[13px] break-all">
            <bdi>{webhook.url}</bdi>
          </p>
          {webhook.earlier_secret_expires_at !== null && (
            <p className="text-muted">
              It was rotated within the last day: the secret before that rotation ends now.
            </p>
          )}
          <FormError>{rotate.error && messageOf(rotate.error)}</FormError>
          <DialogButtons>
            <Button look="primary" isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
              Rotate secret
            </Button>
          </DialogButtons>
        </>
      )}
    </Dialog>
  )
}
