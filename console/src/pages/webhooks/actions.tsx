/** The actions of a member on a webhook. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, Pencil, Power, RefreshCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { call } from '../../api/client'
import { type EventType, type Webhook, type WebhookFields } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Ask, Confirm, Dialog } from '../../ui/dialog'
import { Menu, MenuItem } from '../../ui/menu'
import { WebhookForm } from './form'
import { Rotate } from './rotate'

interface Props {
  project: string
  webhook: Webhook
  types: readonly EventType[]
  /** Omitted if only the row disappears. */
  onDeleted?: () => Promise<void>
}

/** Runs a change, then reads webhooks and deliveries again. */
export const useWebhookChange = (project: string) => useChange(['webhooks', project], ['deliveries', project])

type Open = 'edit' | 'rotate' | 'delete' | null

export function WebhookActions({ project, webhook, types, onDeleted }: Props) {
  const [open, setOpen] = useState<Open>(null)
  const change = useWebhookChange(project)
  const { id, url, enabled } = webhook
  const close = (): void => setOpen(null)
  return (
    <>
      <Menu
        trigger={
          <Button look="ghost" size="icon" aria-label={`Actions for ${url}`}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuItem
          onSelect={() =>
            change.mutate(
              () => call('POST /projects/:project/webhooks/:webhook/test', { project, webhook: id }),
              { onSuccess: () => void toast.success('A test is sent. The deliveries show its outcome.') },
            )
          }
        >
          <Send aria-hidden /> Send a test
        </MenuItem>
        <MenuItem onSelect={() => setOpen('edit')}>
          <Pencil aria-hidden /> Edit…
        </MenuItem>
        <MenuItem
          onSelect={() =>
            change.mutate(() =>
              call(
                'PUT /projects/:project/webhooks/:webhook/enabled',
                { project, webhook: id },
                { enabled: !enabled },
              ),
            )
          }
        >
          <Power aria-hidden /> {enabled ? 'Switch off' : 'Switch on'}
        </MenuItem>
        <MenuItem onSelect={() => setOpen('rotate')}>
          <RefreshCw aria-hidden /> Rotate the secret…
        </MenuItem>
        <MenuItem isDangerous onSelect={() => setOpen('delete')}>
          <Trash2 aria-hidden /> Delete…
        </MenuItem>
      </Menu>
      <Edit project={project} webhook={webhook} types={types} isOpen={open === 'edit'} onClose={close} />
      <Rotate project={project} webhook={webhook} isOpen={open === 'rotate'} onClose={close} />
      <Confirm
        isOpen={open === 'delete'}
        onOpenChange={close}
        title={<Ask verb="Delete the webhook to" name={url} />}
        description="The webhook gets no more events. Its deliveries are deleted, and pending deliveries are not sent."
        action="Delete webhook"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(async () => {
            await call('DELETE /projects/:project/webhooks/:webhook', { project, webhook: id })
            close()
            // The page of the webhook ends before its deliveries would be read again.
            await onDeleted?.()
          })
        }
      />
    </>
  )
}

interface EditProps extends Omit<Props, 'onDeleted'> {
  isOpen: boolean
  onClose: () => void
}

function Edit({ project, webhook, types, isOpen, onClose }: EditProps) {
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: (fields: WebhookFields) =>
      call('PATCH /projects/:project/webhooks/:webhook', { project, webhook: webhook.id }, fields),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['webhooks', project] })
      onClose()
    },
  })
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={() => {
        save.reset()
        onClose()
      }}
      title="Edit webhook"
      description="Pending deliveries go to the new address too."
    >
      <WebhookForm
        webhook={webhook}
        types={types}
        action="Save"
        isBusy={save.isPending}
        error={save.error}
        onSubmit={(fields) => save.mutate(fields)}
      />
    </Dialog>
  )
}
