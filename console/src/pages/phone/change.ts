/** Starts, parks and deletes a phone, then reads the phone and the lists that contain it again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { call, messageOf } from '../../api/client'

const routes = {
  start: 'POST /projects/:project/phones/:phone/start',
  park: 'POST /projects/:project/phones/:phone/park',
  delete: 'DELETE /projects/:project/phones/:phone',
} as const

export function usePhoneChange(project: string, id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: keyof typeof routes) => call(routes[change], { project, phone: id }),
    onError: (error) => void toast.error(messageOf(error)),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['phones', project] }),
        queries.invalidateQueries({ queryKey: ['all-phones'] }),
        queries.invalidateQueries({ queryKey: ['phone', project, id] }),
      ]),
  })
}
