/** IDs in the examples. The same object has the same ID everywhere. */
export const ids = {
  phone: 'ph_k3v7qm2xn5td',
  otherPhone: 'ph_w6bh4zr7cjpa',
  session: 'ses_5hd2tqx7mzka',
  earlierSession: 'ses_n7yv3cke6rup',
  upload: 'upl_q4m7xw2bjd5s',
  install: 'ins_7tzp3gkx5vna',
  recording: 'rec_2fjq6xmvw4ha',
  earlierRecording: 'rec_p4nz7dq3xkbt',
  handoff: 'hnd_v4xq6nkz2mbe',
  event: 'evt_m3xq7vk5wndz',
  otherEvent: 'evt_b6zt4qpx2kjh',
  webhook: 'whk_r5nx2wq7mkvd',
  delivery: 'dlv_t7kq4xz3pnwm',
  notification: 'ntf_z4mq7xkw2bvn',
  snapshot: 'snp_d5xk7pq3wmzn',
  request: 'req_h3xw5kq7bnmz',
} as const
