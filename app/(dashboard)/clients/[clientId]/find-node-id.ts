import { getRuntime } from '@/server/index';

/** The node id of a client, or of one that is no longer reported; undefined: it was never recorded. */
export async function findNodeId(clientId: string): Promise<string | undefined> {
  const { api } = getRuntime();
  const client = await api.findClient(clientId);
  if (client !== undefined) return client.nodeId;
  const lastMoment = await api.findLastMoment(clientId);
  if (lastMoment === undefined) return undefined;
  const last = await api.ask('clients/{id}', { at: lastMoment }, { params: { id: clientId } });
  return last?.nodeId;
}
