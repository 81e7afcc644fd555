import type { FieldReader } from '../../model/field-reader';
import { canonicalCidr, parseIpAddress } from '../../validate/ip-address';
import { clientOf } from '../../xds/profile';
import { formatCel, holdsCel } from '../cel';
import { matchHeader } from '../header-match';
import { invertMatch, type Match, matchAll, matchAny, matched, matchIf } from '../match';
import { matchMetadata, matchMetadataOf } from '../metadata';
import { matchPathTemplate } from '../path-match';
import type { FindHeader } from '../request';
import { matchString } from '../string-match';
import { type FilterRequest, pathOfFound, remoteAddressOf } from './filter-decision';
import { serverNameOf } from './request-input';

/**
 * An envoy.config.rbac.v3.Policy: "A policy matches if and only if at least one of its permissions match the action taking
 * place AND at least one of its principals match the downstream AND the condition is true if specified."
 */
export function matchPolicy(policy: FieldReader, of: FilterRequest): Match {
  return matchAll(conditionsOf(policy, of));
}

function* conditionsOf(policy: FieldReader, of: FilterRequest): Generator<Match> {
  for (const kind of ['permissions', 'principals'] as const)
    yield matchAny(policy.objects(kind).map((each, at) => matchRule(each, `${kind}[${at}]`, of)));
  const condition = policy.object('condition') ?? policy.object('checkedCondition')?.object('expr');
  if (condition === undefined) return;
  const holds =
    clientOf(of.profile) === 'envoy' ? holdsCel(condition, of.find) : 'its condition is not evaluated';
  yield typeof holds === 'string'
    ? depends(holds, 'condition')
    : matchIf(holds, 'condition', () => `its condition does not hold: ${formatCel(condition)}`);
}

function depends(reason: string, path: string): Match {
  return { verdict: 'depends', reason, path };
}

/** A Permission or a Principal, which have most kinds in common. */
function matchRule(rule: FieldReader, path: string, of: FilterRequest): Match {
  const set = (field: string, each: string): Match[] | undefined =>
    rule
      .object(field)
      ?.objects(each)
      .map((one, at) => matchRule(one, `${path}.${field}.${each}[${at}]`, of));
  const all = set('andRules', 'rules') ?? set('andIds', 'ids');
  if (all !== undefined) return matchAll(all);
  const some = set('orRules', 'rules') ?? set('orIds', 'ids');
  if (some !== undefined) return matchAny(some);
  for (const field of ['notRule', 'notId']) {
    const inner = rule.object(field);
    if (inner !== undefined)
      return invertMatch(
        matchRule(inner, `${path}.${field}`, of),
        `${path}.${field}`,
        'the request matches what must not match',
      );
  }
  if (rule.boolean('any')) return matched;
  const header = rule.object('header');
  if (header !== undefined) return matchHeader(header, `${path}.header`, headersFor(of), of.profile);
  const urlPath = rule.object('urlPath')?.object('path');
  if (urlPath !== undefined)
    return matchText('path', pathOfFound(headersFor(of)), urlPath, `${path}.urlPath`);
  const template = rule.object('uriTemplate');
  if (template !== undefined) {
    const own = pathOfFound(headersFor(of));
    if (own === undefined) return depends('the path is not known', `${path}.uriTemplate`);
    return matchPathTemplate(template, own, `${path}.uriTemplate`);
  }
  return matchConnection(rule, path, of) ?? matchMetadataRule(rule, path, of) ?? matchOther(rule, path);
}

/** gRFC A41: matchers of a gRPC server see :path, :method, which is POST, and the authority. */
function headersFor({ find, profile, request: { path, authority } }: FilterRequest): FindHeader {
  if (clientOf(profile) === 'envoy') return find;
  const own = new Map([
    [':path', path],
    [':method', 'POST'],
    [':authority', authority],
    ['host', authority],
  ]);
  return (name) => {
    const value = own.get(name.toLowerCase());
    const found = find(name);
    if (value === undefined || found.kind === 'depends') return found;
    return { kind: 'value', first: value, values: [value] };
  };
}

function matchText(what: string, value: string | undefined, matcher: FieldReader, path: string): Match {
  if (value === undefined) return depends(`the ${what} is not known`, path);
  const result = matchString(matcher, value);
  if (result.kind === 'unknown') return depends(result.reason, path);
  return matchIf(
    result.holds,
    path,
    () => `the ${what} is ${JSON.stringify(value)}, and must ${result.expected}`,
  );
}

/** What is known of the connection. */
function matchConnection(rule: FieldReader, path: string, of: FilterRequest): Match | undefined {
  const { destination, request } = of;
  const { connection = {}, scheme } = request;
  const isTls = connection.isTls ?? scheme === 'https';
  const range = (field: string, what: string, address: string | undefined): Match | undefined => {
    const wanted = rule.object(field);
    return wanted && matchRange(wanted, `${path}.${field}`, what, address);
  };
  const address =
    range('destinationIp', 'destination address', destination.address) ??
    range('sourceIp', 'source address', connection.sourceAddress) ??
    range('directRemoteIp', 'source address', connection.sourceAddress);
  if (address !== undefined) return address;
  if (rule.has('remoteIp')) {
    const remote = remoteAddressOf(of);
    if (remote.kind === 'depends') return depends(remote.reason, `${path}.remoteIp`);
    return range('remoteIp', 'remote address', remote.address);
  }
  if (rule.has('destinationPort')) {
    const port = rule.number('destinationPort') ?? 0;
    return matchPort(destination.port, port, port + 1, `${path}.destinationPort`);
  }
  const ports = rule.object('destinationPortRange');
  if (ports !== undefined)
    return matchPort(
      destination.port,
      ports.number('start') ?? 0,
      ports.number('end') ?? 0,
      `${path}.destinationPortRange`,
    );
  const serverName = rule.object('requestedServerName');
  if (serverName !== undefined) {
    const field = `${path}.requestedServerName`;
    return matchText('server name (SNI)', serverNameOf(of), serverName, field);
  }
  if (rule.has('authenticated'))
    return isTls
      ? depends('the certificate of the caller is not known', `${path}.authenticated`)
      : matchIf(
          false,
          `${path}.authenticated`,
          () => 'the caller must be authenticated, and the connection has no TLS',
        );
  return undefined;
}

function matchRange(wanted: FieldReader, path: string, what: string, address: string | undefined): Match {
  if (address === undefined) return depends(`the ${what} is not known`, path);
  const [prefix, length] = [wanted.string('addressPrefix'), wanted.number('prefixLen') ?? 0];
  const [own, range] = [parseIpAddress(address), parseIpAddress(prefix)];
  if (own === undefined || range === undefined)
    return depends(`${own === undefined ? address : prefix} is not an IP address`, path);
  const holds = own.bits === range.bits && canonicalCidr(own, length) === canonicalCidr(range, length);
  return matchIf(holds, path, () => `the ${what} is ${address}, and must be in ${prefix}/${length}`);
}

/** "start" is included, "end" is not. */
function matchPort(port: number | undefined, start: number, end: number, path: string): Match {
  if (port === undefined) return depends('the destination port is not known', path);
  const wanted = end - start === 1 ? `${start}` : `from ${start} to ${end - 1}`;
  return matchIf(
    port >= start && port < end,
    path,
    () => `the destination port is ${port}, and must be ${wanted}`,
  );
}

/** gRFC A41: in gRPC there is no metadata, so that a matcher holds if it is inverted. */
function matchMetadataRule(rule: FieldReader, path: string, of: FilterRequest): Match | undefined {
  const sourced = rule.object('sourcedMetadata');
  const field = sourced === undefined ? `${path}.metadata` : `${path}.sourcedMetadata.metadataMatcher`;
  const matcher = sourced === undefined ? rule.object('metadata') : sourced.object('metadataMatcher');
  if (matcher === undefined) return undefined;
  if (clientOf(of.profile) !== 'envoy')
    return matchIf(matcher.boolean('invert'), field, () => 'gRPC has no metadata that a filter sets');
  if (sourced?.enumName('metadataSource', 'DYNAMIC') !== 'ROUTE')
    return matchMetadata(matcher, field, of.metadata);
  const route = of.owners.find((owner) => owner.has('match'));
  // Measured: an inverted matcher does not hold either.
  if (route === undefined) return matchIf(false, field, () => 'there is no route, whose metadata must match');
  return matchMetadataOf(matcher, field, route);
}

const others: Readonly<Record<string, string>> = {
  filterState: 'it depends on the filter state of the connection and the request',
  matcher: 'its matcher is an extension, which is not evaluated',
  custom: 'its principal is an extension, which is not evaluated',
};

function matchOther(rule: FieldReader, path: string): Match {
  const [field = '', reason = 'its kind is not known'] =
    Object.entries(others).find(([name]) => rule.has(name)) ?? [];
  return depends(reason, field === '' ? path : `${path}.${field}`);
}
