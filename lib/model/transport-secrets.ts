import type { FieldReader } from './field-reader';

/** Maximum number of nested transport sockets (proxy protocol, tap, STARTTLS). Real ones do not exceed it. */
const maxLayers = 5;
const wrapped = ['transportSocket', 'cleartextSocketConfig', 'tlsSocketConfig'];

/** Names of the SDS secrets that a TransportSocket references, in order, without repetitions. */
export function readSecretNames(socket: FieldReader | undefined): string[] {
  const names = new Set<string>();
  collect(socket, names, maxLayers);
  return [...names];
}

function collect(socket: FieldReader | undefined, names: Set<string>, layersLeft: number): void {
  const config = socket?.object('typedConfig');
  if (!config || layersLeft === 0) return;
  const tls = config.object('commonTlsContext') ?? quicTls(config);
  if (tls !== undefined) collectFromTls(tls, names);
  for (const field of wrapped) if (config.has(field)) collect(config.object(field), names, layersLeft - 1);
}

function quicTls(config: FieldReader): FieldReader | undefined {
  const context = config.object('downstreamTlsContext') ?? config.object('upstreamTlsContext');
  return context?.object('commonTlsContext');
}

function collectFromTls(tls: FieldReader, names: Set<string>): void {
  const configs = [
    ...tls.objects('tlsCertificateSdsSecretConfigs'),
    tls.object('validationContextSdsSecretConfig'),
    tls.object('combinedValidationContext')?.object('validationContextSdsSecretConfig'),
  ];
  for (const config of configs) {
    const name = config?.string('name') ?? '';
    if (name !== '') names.add(name);
  }
}
