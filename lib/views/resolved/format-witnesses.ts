import { quoteWord } from '../../explain/format-request';
import type { Witnesses } from './schema';

type Witness = Witnesses['items'][number];

export const witnessFormats = {
  'router-check': { label: 'router_check YAML', fileName: 'router-check.yaml' },
  curl: { label: 'curl', fileName: 'witnesses.sh' },
  grpcurl: { label: 'grpcurl', fileName: 'witnesses-grpc.sh' },
} as const;
export type WitnessFormat = keyof typeof witnessFormats;

/** Writes the witnesses of an effective config, to check it with other programs. `address`: that of the listener. */
export function formatWitnesses({ items: all, address }: Witnesses, format: WitnessFormat): string {
  // A test must have a path, and curl would send one.
  const items = all.filter(({ request }) => request.path !== '');
  const left =
    items.length < all.length
      ? `# Left out: ${all.length - items.length} of ${all.length} witnesses (CONNECT, which has no path).\n`
      : '';
  switch (format) {
    case 'router-check':
      return `${left}tests:\n${items.map(formatCheck).join('')}`;
    case 'curl':
      return left + items.map((item) => `${comment(item)}\n${formatCurl(item, address)}\n`).join('');
    case 'grpcurl':
      return formatGrpcurl(all, address);
  }
}

/**
 * A test of envoy.RouterCheckToolSchema.Validation. JSON texts are YAML texts. The cluster is not checked if it is not proven
 * which route takes the request.
 */
function formatCheck(item: Witness): string {
  const { virtualHost, route, reach, cluster, request } = item;
  const { authority, path, method, scheme, headers } = request;
  const text = JSON.stringify;
  const lines = [
    `  - test_name: ${text(`${virtualHost} ${route} ${reach}`)}`,
    '    input:',
    `      authority: ${text(authority)}`,
    `      path: ${text(path)}`,
    `      method: ${text(method)}`,
    `      ssl: ${scheme === 'https'}`,
    ...(headers.length === 0 ? [] : ['      additional_request_headers:']),
    ...headers.map(([key, value]) => `        - {key: ${text(key)}, value: ${text(value)}}`),
    '    validate:',
    `      virtual_host_name: ${text(virtualHost)}`,
    ...(cluster === undefined || reach === 'perhaps' ? [] : [`      cluster_name: ${text(cluster)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function comment({ virtualHost, route, reach, takenBy }: Witness): string {
  const taken = reach === 'reached' ? '' : `, taken by ${takenBy}`;
  return `# ${`${virtualHost}: ${route}, ${reach}${taken}`.replace(/\s+/g, ' ')}`;
}

function formatCurl(
  { request: { method, scheme, authority, path, headers } }: Witness,
  address: string,
): string {
  const to = address === '' ? [] : ['--connect-to', quoteWord(`::${address}`)];
  const sent = headers.flatMap(([name, value]) => [
    '-H',
    quoteWord(value === '' ? `${name};` : `${name}: ${value}`),
  ]);
  return [
    'curl',
    '-g',
    '--path-as-is',
    ...to,
    '-X',
    quoteWord(method),
    ...sent,
    quoteWord(`${scheme}://${authority}${path}`),
  ].join(' ');
}

/** A gRPC request is a POST of /service/method, and grpcurl sets its content-type. */
function formatGrpcurl(items: readonly Witness[], address: string): string {
  const lines: string[] = [];
  for (const item of items) {
    const { method, scheme, authority, path, headers } = item.request;
    if (method !== 'POST' || !/^\/[^/?]+\/[^/?]+$/.test(path)) continue;
    const words = headers
      .filter(([name]) => name !== 'content-type')
      .flatMap(([name, value]) => ['-H', quoteWord(`${name}: ${value}`)]);
    const security = scheme === 'https' ? [] : ['-plaintext'];
    const target = quoteWord(address === '' ? authority : address);
    lines.push(
      comment(item),
      [
        'grpcurl',
        ...security,
        '-authority',
        quoteWord(authority),
        ...words,
        target,
        quoteWord(path.slice(1)),
      ].join(' '),
    );
  }
  const others = items.length - lines.length / 2;
  return [
    ...(others === 0 ? [] : [`# ${others} of ${items.length} witnesses are no gRPC requests.`]),
    ...lines,
    '',
  ].join('\n');
}
