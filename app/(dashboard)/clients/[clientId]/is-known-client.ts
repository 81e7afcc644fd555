import { getRuntime } from '@/server/index';

/** True if a source reports the client, or if the log has events of it. */
export async function isKnownClient(clientId: string): Promise<boolean> {
  const { api } = getRuntime();
  return (await api.findClient(clientId)) !== undefined || (await api.findLastMoment(clientId)) !== undefined;
}
