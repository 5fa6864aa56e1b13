import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/client'
import { sessionQuery } from '../api/session'
import { NameDialog } from '../ui/name-dialog'

interface Props {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

export function NewProject({ isOpen, onOpenChange }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: (name: string) => call('POST /projects', {}, { name }),
    async onSuccess({ id }) {
      await queries.refetchQueries(sessionQuery)
      onOpenChange(false)
      await navigate({ to: '/projects/$project/keys', params: { project: id } })
    },
  })
  return (
    <NameDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title="New project"
      description="A project has its own phones, keys, members and credit."
      action="Create project"
      creation={create}
      field={{ required: true, placeholder: 'Checkout tests' }}
    />
  )
}
