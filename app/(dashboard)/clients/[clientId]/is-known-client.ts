import { getRuntime } from '@/server/index';

/** Does somebody report the client, or did somebody as far as the log reaches? */
export async function isKnownClient(clientId: string): Promise<boolean> {
  const { api } = getRuntime();
  return api.findClient(clientId) !== undefined || (await api.findLastMoment(clientId)) !== undefined;
}
