/** Sends the APKs of an app one by one, then adds the app or its newest version. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { toast } from 'sonner'
import { call, messageOf, send } from '../../api/client'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { undirected } from '../../direction'
import { FormError, TextField } from '../../ui/field'

export function AddApp({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [sending, setSending] = useState('')
  const add = useMutation({
    async mutationFn(apks: readonly File[]) {
      const files: string[] = []
      for (const apk of apks) {
        setSending(`Sending file ${files.length + 1} of ${apks.length}`)
        files.push((await send('POST /operator/library/files', {}, apk)).file)
      }
      setSending('Adding the app')
      return call('POST /operator/library/apps', {}, { files })
    },
    onSuccess({ label, version_name: version }) {
      toast.success(`${undirected(label)} ${undirected(version)} is in the library.`)
      onClose()
      return queries.invalidateQueries({ queryKey: ['operator'] })
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const chosen = new FormData(event.currentTarget).getAll('apks')
    add.mutate(chosen.filter((each) => each instanceof File))
  }
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      isSticky
      title="Add an app"
      description="Choose its APK, and all of its splits if it has any. An app of the same package is replaced by this version."
    >
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="APK files"
          name="apks"
          type="file"
          accept=".apk"
          multiple
          required
          disabled={add.isPending}
          className="h-auto py-1.5"
        />
        <FormError>{add.error && messageOf(add.error)}</FormError>
        <div className="flex flex-wrap items-center justify-end gap-2">
          <p role="status" className="mr-auto text-muted">
            {add.isPending && sending}
          </p>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" isBusy={add.isPending}>
            Add app
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
