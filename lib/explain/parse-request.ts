import type { ExplainRequest } from '../requests/request';
import { splitWords } from './split-words';

type ParsedRequest =
  | { readonly ok: true; readonly request: ExplainRequest }
  | { readonly ok: false; readonly message: string };

type Headers = [name: string, value: string][];

/** The forms that are understood, with an example of each. */
export const requestForms = [
  'GET shop.example/cart',
  "curl -H 'x-color: blue' https://shop.example/cart",
  'grpcurl -plaintext shop.example:50051 shop.Cart/Add',
  'shop.Cart/Add',
  'a line of an Envoy access log',
] as const;

const longest = 64 * 1024;

/** Parses a request in any of requestForms. */
export function parseRequest(text: string): ParsedRequest {
  const line = text.trim().replace(/^\$\s+/, '');
  if (line.length > longest) return failed(`expected at most ${longest} characters, got ${line.length}`);
  if (line === '') return failed(`expected a request, such as ${requestForms[0]}, got nothing`);
  if (/^curl(\s|$)/.test(line)) return parseCurl(line);
  if (/^grpcurl(\s|$)/.test(line)) return parseGrpcurl(line);
  const [logLine] = /\[\d{4}-\d\d-\d\dT[^\]]*\]\s+".*/s.exec(line) ?? /^\[[^\]]*\]\s+".*/s.exec(line) ?? [];
  if (logLine !== undefined) return parseLogLine(logLine);
  if (line.startsWith('{')) return parseJsonLine(line);
  return findRpc(line) ?? parsePlain(line);
}

/** "shop.Cart/Add" and "/shop.Cart/Add" are a gRPC method; "shop.example/cart" is a host with a path. */
function findRpc(line: string): ParsedRequest | undefined {
  const [, authority = '', service = '', method = ''] =
    /^(?:([^\s/]+)\s+)?\/?((?:[A-Za-z_]\w*\.)*[A-Z]\w*)\/([A-Za-z_]\w*)$/.exec(line) ?? [];
  return service === '' || /^[A-Z]+$/.test(authority)
    ? undefined
    : rpcOf(authority, `/${service}/${method}`, 'http', []);
}

function rpcOf(
  authority: string,
  path: string,
  scheme: ExplainRequest['scheme'],
  headers: Headers,
): ParsedRequest {
  const problem = problemOfPort(authority);
  if (problem !== '') return failed(problem);
  const own: Headers = [
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ];
  return { ok: true, request: { method: 'POST', scheme, authority, path, headers: [...own, ...headers] } };
}

/** "GET shop.example/cart", "https://shop.example/cart?id=1", "/cart". */
function parsePlain(line: string): ParsedRequest {
  const [, method = 'GET', url = ''] = /^(?:([A-Za-z]+)\s+)?(\S+)(?:\s+HTTP\/[\d.]+)?$/.exec(line) ?? [];
  const isMethod = method === method.toUpperCase() || usualMethods.test(method);
  if (url === '' || !isMethod)
    return failed(
      `expected a request, such as ${requestForms[0]}, or a curl or grpcurl line, got ${JSON.stringify(line.slice(0, 200))}`,
    );
  return requestOfUrl(method.toUpperCase(), url, []);
}

/** In lower case, another word is the name of a program. */
const usualMethods = /^(?:get|head|post|put|patch|delete|options|connect|trace)$/i;

function requestOfUrl(method: string, url: string, headers: Headers): ParsedRequest {
  const [, scheme = 'http', rest = ''] = /^(?:([A-Za-z][\w+.-]*):\/\/)?(.*)$/s.exec(url) ?? [];
  const name = scheme.toLowerCase();
  if (name !== 'http' && name !== 'https')
    return failed(`expected http or https, got ${JSON.stringify(scheme)}`);
  const [, authority = '', target = ''] = /^([^/?#]*)(.*)$/s.exec(rest) ?? [];
  const problem = problemOfPort(authority.replace(/^.*@/, ''));
  if (problem !== '') return failed(problem);
  const path = target.replace(/#.*$/s, '');
  return {
    ok: true,
    request: {
      ...{ method, scheme: name, headers },
      authority: authority.replace(/^.*@/, ''),
      path: path.startsWith('/') ? path : `/${path}`,
    },
  };
}

const largestPort = 65_535;

/** Empty if the authority has no port, or one that is a number. */
function problemOfPort(authority: string): string {
  const [, port] = /^(?:\[[^\]]*\]|[^:]*):([^:/]*)$/.exec(authority) ?? [];
  if (port === undefined || (/^\d{1,5}$/.test(port) && Number(port) <= largestPort)) return '';
  return `expected a port from 0 to ${largestPort} in ${JSON.stringify(authority.slice(0, 100))}, got ${JSON.stringify(port.slice(0, 100))}`;
}

/** Options of curl that have a value. */
const curlValues = new Set([
  ...['-X', '--request', '-H', '--header', '-d', '--data', '--data-raw', '--data-binary', '--data-ascii'],
  ...[
    '--data-urlencode',
    '--json',
    '-F',
    '--form',
    '-b',
    '--cookie',
    '-A',
    '--user-agent',
    '-e',
    '--referer',
  ],
  ...['--url', '-o', '--output', '-u', '--user', '-x', '--proxy', '-m', '--max-time', '--connect-timeout'],
  ...[
    '--resolve',
    '--connect-to',
    '--cacert',
    '--cert',
    '-E',
    '--key',
    '-w',
    '--write-out',
    '-c',
    '--cookie-jar',
  ],
  ...[
    '-T',
    '--upload-file',
    '--retry',
    '--interface',
    '--unix-socket',
    '-D',
    '--dump-header',
    '--limit-rate',
  ],
]);

interface Options {
  /** The options in their order; the value is empty if the option has none. */
  readonly options: readonly (readonly [name: string, value: string])[];
  readonly others: readonly string[];
}

function readOptions(words: readonly string[], withValue: (name: string) => boolean): Options {
  const options: [string, string][] = [];
  const others: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith('-') || word === '-') {
      others.push(word);
      continue;
    }
    const [, long, ownValue] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (long !== undefined) options.push([long, ownValue ?? '']);
    else if (withValue(word)) options.push([word, words[++at] ?? '']);
    else options.push([word, '']);
  }
  return { options, others };
}

function parseCurl(line: string): ParsedRequest {
  const split = splitWords(line);
  if (!split.ok) return split;
  // "-XPOST" is "-X POST", and "-sH x" is "-s -H x".
  const words = split.words.flatMap((word) => {
    const [, flags = '', last = '', rest = ''] = /^-([A-Za-z]*?)([XHdbAeouxmFTEwcD])(.*)$/s.exec(word) ?? [];
    if (last === '' || word.startsWith('--')) return [word];
    return [...[...flags].map((each) => `-${each}`), `-${last}`, ...(rest === '' ? [] : [rest])];
  });
  const { options, others } = readOptions(words, (name) => curlValues.has(name));
  const last = (...names: string[]) => options.findLast(([name]) => names.includes(name))?.[1];
  const has = (...names: string[]) => options.some(([name]) => names.includes(name));
  const url = last('--url') ?? others[0];
  if (url === undefined) return failed('expected a URL after curl, got none');
  const headers: Headers = [];
  let host = '';
  for (const [name, value] of options) {
    if (name !== '-H' && name !== '--header') continue;
    const [, header = '', sign, text = ''] = /^([^:;]+)([:;])\s*(.*?)\s*$/s.exec(value) ?? [];
    if (header.toLowerCase() === 'host') host = text;
    // "x:" removes a header, and "x;" is one without a value.
    else if (header !== '' && (text !== '' || sign === ';')) headers.push([header, text]);
  }
  const add = (name: string, value: string | undefined): void => {
    const isSet = headers.some(([each]) => each.toLowerCase() === name);
    if (value !== undefined && !isSet) headers.push([name, value]);
  };
  add('cookie', last('-b', '--cookie'));
  add('user-agent', last('-A', '--user-agent'));
  add('referer', last('-e', '--referer'));
  const user = last('-u', '--user');
  if (user !== undefined) {
    const bytes = new TextEncoder().encode(user.includes(':') ? user : `${user}:`);
    add('authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`);
  }
  const data = options.filter(([name]) => dataOptions.has(name));
  const isData = data.length > 0;
  const isGet = has('-G', '--get');
  if (has('--json')) {
    add('content-type', 'application/json');
    add('accept', 'application/json');
  } else if (isData && !isGet) add('content-type', 'application/x-www-form-urlencoded');
  const isPost = (isData && !isGet) || has('--json', '-F', '--form');
  const usual = has('-I', '--head') ? 'HEAD' : has('-T', '--upload-file') ? 'PUT' : isPost ? 'POST' : 'GET';
  const query = isGet
    ? data.map(([name, value]) => (name === '--data-urlencode' ? encodeData(value) : value))
    : [];
  const whole = query.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`;
  const parsed = requestOfUrl(last('-X', '--request') ?? usual, whole, headers);
  if (!parsed.ok || host === '') return parsed;
  return { ok: true, request: { ...parsed.request, authority: host } };
}

const dataOptions = new Set([
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
]);

/** "name=content": only the content is encoded. */
function encodeData(value: string): string {
  const [, name = '', content = ''] = /^([^=]*=)?(.*)$/s.exec(value) ?? [];
  return `${name === '=' ? '' : name}${encodeURIComponent(content.replace(/[\ud800-\udfff]/gu, '\ufffd'))}`;
}

const grpcurlValues =
  /^--?(d|H|authority|rpc-header|reflect-header|proto|protoset|import-path|cacert|cert|key|servername|max-time|connect-timeout|max-msg-sz|user-agent|format|keepalive-time)$/;

function parseGrpcurl(line: string): ParsedRequest {
  const split = splitWords(line);
  if (!split.ok) return split;
  const { options, others } = readOptions(split.words, (name) => grpcurlValues.test(name));
  const method = others.at(-1) ?? '';
  const [, service = '', name = ''] = /^([\w.]+)[/.](\w+)$/.exec(method) ?? [];
  if (others.length < 2 || service === '')
    return failed(`expected an address and a method after grpcurl, got ${others.join(' ') || 'neither'}`);
  const last = (...names: string[]) =>
    options.findLast(([each]) => names.includes(each.replace(/^--?/, '')))?.[1];
  const headers = options.flatMap(([each, value]): Headers => {
    const [, header = '', text = ''] = /^([^:]+):\s*(.*)$/s.exec(value) ?? [];
    return /^--?(H|rpc-header)$/.test(each) && header !== '' ? [[header.trim(), text.trim()]] : [];
  });
  const isPlain = last('plaintext') !== undefined;
  const authority = last('authority') ?? others[0] ?? '';
  return rpcOf(authority, `/${service}/${name}`, isPlain ? 'http' : 'https', headers);
}

/** A log does not have the type of the content; it shows a gRPC client by its name and its path. */
function headersOfLog(agent: string, method: string, path: string): Headers {
  const isGrpc = method === 'POST' && /^grpc-/.test(agent) && /^\/[\w.]+\/\w+$/.test(path);
  return [
    ...(isGrpc ? [['content-type', 'application/grpc'] as [string, string]] : []),
    ...(agent === '' || agent === '-' ? [] : [['user-agent', agent] as [string, string]]),
  ];
}

/** The default format of Envoy's access log, and that of Istio: the authority is the last text but one in quotes. */
function parseLogLine(line: string): ParsedRequest {
  const quoted = [...line.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
  const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(quoted[0] ?? '') ?? [];
  const authority = quoted.at(-2) ?? '';
  if (method === '' || !path.startsWith('/') || quoted.length < 5)
    return failed(
      'expected the default format of an Envoy access log: [time] "METHOD PATH PROTOCOL" ... "AUTHORITY" "HOST"',
    );
  const headers = headersOfLog(quoted.at(-4) ?? '-', method, path);
  return {
    ok: true,
    request: { method, scheme: 'http', authority: authority === '-' ? '' : authority, path, headers },
  };
}

/** An access log in JSON, as Istio and Envoy Gateway write it. */
function parseJsonLine(line: string): ParsedRequest {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (error) {
    return failed(
      `expected an access log in JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const fields = new Map(Object.entries(json ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const text = (...names: string[]): string => {
    const value = names
      .map((name) => fields.get(name))
      .find((each) => typeof each === 'string' && each !== '-');
    return typeof value === 'string' ? value : '';
  };
  const path = text('path', ':path', 'x-envoy-origin-path', 'x-envoy-original-path');
  const method = text('method', ':method');
  if (method === '' || !path.startsWith('/'))
    return failed('expected an access log in JSON with method, path and authority');
  return {
    ok: true,
    request: {
      ...{ method, path, authority: text('authority', ':authority') },
      ...{ scheme: 'http', headers: headersOfLog(text('user_agent', 'user-agent'), method, path) },
    },
  };
}

function failed(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
