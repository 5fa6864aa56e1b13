import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { messageOf } from '../api/client'
import { createProject } from '../api/projects'
import { sessionQuery } from '../api/session'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { FormError, TextField } from '../ui/field'

interface Props {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function NewProject({ isOpen, onOpenChange }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: createProject,
    async onSuccess({ id }) {
      await queries.refetchQueries(sessionQuery)
      onOpenChange(false)
      await navigate({ to: '/projects/$project/keys', params: { project: id } })
    },
  })
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={(open) => {
        create.reset()
        onOpenChange(open)
      }}
      title="New project"
      description="A project has its own phones, keys, members and credit."
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          const name = new FormData(event.currentTarget).get('name')
          create.mutate(typeof name === 'string' ? name : '')
        }}
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={80}
          autoComplete="off"
          placeholder="Checkout tests"
        />
        <FormError>{create.error && messageOf(create.error)}</FormError>
        <div className="flex justify-end gap-2">
          <Button type="submit" look="primary" isBusy={create.isPending}>
            Create project
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
