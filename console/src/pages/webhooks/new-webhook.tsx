/** Creates a webhook, and shows its secret once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/client'
import { type EventType, type WebhookFields } from '../../api/types'
import { Dialog } from '../../ui/dialog'
import { WebhookForm } from './form'
import { ShownSecret } from './secret'

interface Props {
  project: string
  types: readonly EventType[]
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function NewWebhook({ project, types, isOpen, onOpenChange }: Props) {
  const queries = useQueryClient()
  const create = useMutation({
    mutationFn: (fields: WebhookFields) => call('POST /projects/:project/webhooks', { project }, fields),
    // The secret is kept only while it is shown.
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks', project] }),
  })
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
      closeQuestion={made ? 'Close without copying the secret?' : undefined}
      title={made ? 'Copy the secret now' : 'New webhook'}
      {...(made ? { description: 'You need it to verify requests. It is not shown again.' } : {})}
    >
      {made ? (
        <ShownSecret secret={made.secret} onDone={() => close(false)} />
      ) : (
        <WebhookForm
          webhook={null}
          types={types}
          action="Create webhook"
          isBusy={create.isPending}
          error={create.error}
          onSubmit={(fields) => create.mutate(fields)}
        />
      )}
    </Dialog>
  )
}
