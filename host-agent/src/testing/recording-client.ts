/** For tests: a client of the agent's RecordingService, like the control plane. */
import { credentials } from '@grpc/grpc-js'
import { RecordingServiceClient } from '@phonerack/proto'
import { controlPlaneIdentity } from '../service/grpc/call.js'
import { serverName, type TestHost } from './agent.js'

export async function createRecordingClient({ agent, ca }: TestHost): Promise<RecordingServiceClient> {
  const leaf = await ca.issue({ uri: controlPlaneIdentity }, 'client')
  return new RecordingServiceClient(
    `127.0.0.1:${agent.grpcPort}`,
    credentials.createSsl(
      Buffer.from(ca.caPem),
      Buffer.from(leaf.privateKeyPem),
      Buffer.from(leaf.certificatePem),
    ),
    { 'grpc.ssl_target_name_override': serverName },
  )
}
