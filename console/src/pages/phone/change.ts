/** Starts, parks and deletes a phone, then reads the phone and the lists that contain it again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { type Phone } from '../../api/projects'

export function usePhoneChange(project: string, id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (act: (project: string, id: string) => Promise<Phone>) => act(project, id),
    onError: (error) => void toast.error(messageOf(error)),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['phones', project] }),
        queries.invalidateQueries({ queryKey: ['all-phones'] }),
        queries.invalidateQueries({ queryKey: ['phone', project, id] }),
      ]),
  })
}
