import type { Security, Source } from '@/lib/api/schema';
import { errorModelChoices, labelOf, profileChoices, transportChoices } from './source-choices';

const kinds: Readonly<Record<Source['kind'], string>> = {
  csds: 'CSDS poll',
  ads: 'ADS probe',
  lrs: 'LRS listener',
  lab: 'embedded lab',
};

const securities: Readonly<Record<Security, string>> = { plain: '', tls: 'TLS', mtls: 'mTLS' };

/** What is worth a word beside the kind: everything that is not as usual, and the manner. */
export function summariseSource({ kind, security, settings }: Source): string[] {
  const secured = securities[security];
  if (settings === null) return [kinds[kind], secured].filter((word) => word !== '');
  const { transport, apiVersion, manner, profile, errorModel } = settings;
  return [
    transport === 'ads'
      ? kinds[kind]
      : `probe, ${transport === 'file' ? 'files' : labelOf(transportChoices, transport)}`,
    apiVersion === 'v2' ? 'API v2' : '',
    manner === 'observe' ? 'observes' : `as a ${labelOf(profileChoices, profile)} client`,
    errorModel === 'a88' ? labelOf(errorModelChoices, errorModel) : '',
    secured,
  ].filter((word) => word !== '');
}

/** Of a source with several servers: who is asked in which order. Which of them is in use is in its notes. */
export function summariseServers({ settings }: Source): string[] {
  if (settings === null) return [];
  const { servers, authorities, listeners } = settings;
  const order = (targets: readonly string[]): string => targets.join(', then ');
  return [
    ...(servers.length > 1 ? [`servers: ${order(servers.map(({ target }) => target))}`] : []),
    ...authorities.map((each) => `authority "${each.name}": ${order(each.servers)}`),
    ...(listeners.length > 0 ? [`asks for ${listeners.join(', ')}`] : []),
  ];
}
