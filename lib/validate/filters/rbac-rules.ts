import { before, since, type Who } from '../../xds/profile';
import type { Field } from '../field';
import { checkHeaderMatcher, type Readers } from '../header-matcher';
import { rbac, rbacPerRoute } from '../http-filters';
import { parseIpAddress } from '../ip-address';
import { nackBy, type Reactions, react } from '../reactions';
import type { Report, Rule } from '../rule';
import { checkStringMatcher } from '../string-matcher';
import { ruleOfFilter } from './filter-places';

export const rbacRules: readonly Rule[] = [
  ruleOfFilter(
    'A41',
    'The RBAC policy is supported and valid',
    'gRFC A41: RBAC',
    [rbac, rbacPerRoute],
    nackBy('core', 'go', 'java'),
    (config, report) => {
      const rules = config.typeName === rbacPerRoute ? config.in('rbac', 'rules') : config.at('rules');
      const action = rules.at('action');
      // C-core and Java stop at LOG without reading further; grpc-go also validates the names of the policies.
      const isLog = action.text === 'LOG';
      if (typeof action.value === 'number' && action.value > 2)
        report({
          field: action,
          expected: 'ALLOW, DENY or LOG',
          reactions: nackBy('core-1.85', 'go', 'java'),
        });
      for (const [, policy] of rules.at('policies').entries()) {
        const readers: readonly Who[] = isLog ? ['go'] : ['core', 'go', 'java'];
        checkHead(policy, readers, report);
        if (isLog) continue;
        for (const rule of policy.at('permissions').items()) checkPermission(rule, report, 0);
        for (const id of policy.at('principals').items()) checkPrincipal(id, report, 0);
      }
      checkAuditLoggers(rules.at('auditLoggingOptions'), report);
    },
  ),
];

const knownLogger = 'envoy.extensions.rbac.audit_loggers.stream.v3.StdoutAuditLog';

/** gRFC A59. */
function checkAuditLoggers(options: Field, report: Report): void {
  for (const config of options.at('loggerConfigs').items()) {
    const logger = config.in('auditLogger', 'typedConfig');
    if (!config.at('isOptional').isTrue && logger.exists && ![knownLogger, ''].includes(logger.typeName))
      report({ field: logger, expected: `${knownLogger}, or isOptional`, reactions: nackBy('go') });
  }
}

function checkHead(policy: Field, readers: readonly Who[], report: Report): void {
  for (const name of ['condition', 'checkedCondition']) {
    const field = policy.at(name);
    if (field.exists)
      report({ field, expected: 'nothing: CEL is not supported', reactions: nackBy(...readers) });
    if (name === 'condition' && field.exists && !field.names().some((kind) => kind.endsWith('Expr')))
      report({ field, expected: 'an expression', reactions: nackBy('envoy') });
  }
  for (const rule of [...policy.at('permissions').items(), ...policy.at('principals').items()]) {
    const name = rule.in('header', 'name');
    if (isForbidden(name)) report({ field: name, expected: headerText, reactions: nackBy(...readers) });
  }
}

const headerText = 'a header that is neither :scheme nor grpc-*';

function isForbidden(name: Field): boolean {
  return name.text === ':scheme' || name.text.startsWith('grpc-');
}

/** Go 1.85 compares in lower case, and in nested rules too. */
function checkNameOfGo(name: Field, report: Report, depth: number): void {
  const isOther = depth > 0 || !isForbidden(name);
  if (isOther && (name.text === ':scheme' || name.text.toLowerCase().startsWith('grpc-')))
    report({ field: name, expected: headerText, reactions: nackBy('go-1.85') });
}

/** They validate patterns and ranges when they create the filter, after they have ACKed the resource. */
const late = before('core-1.85');

const headerReaders: Readers = {
  validates: ['core', 'go', 'java', 'envoy'],
  lateValidators: late,
  withoutContains: [],
  withoutString: before('core-1.68'),
};

/** Protobuf itself rejects deeper nesting. */
const maxDepth = 100;

function checkPermission(rule: Field, report: Report, depth: number): void {
  if (depth > maxDepth) return;
  const nested = [
    ...rule.in('andRules', 'rules').items(),
    ...rule.in('orRules', 'rules').items(),
    ...(rule.at('notRule').exists ? [rule.at('notRule')] : []),
  ];
  for (const each of nested) checkPermission(each, report, depth + 1);
  checkCommon(rule, report, depth);
  checkCidr(rule.at('destinationIp'), report);
  const server = rule.at('requestedServerName');
  if (server.exists)
    checkStringMatcher(server, ['core', 'go-1.85', 'java', 'envoy'], report, { lateValidators: late });
  const kinds = [
    'andRules',
    'orRules',
    'any',
    'header',
    'urlPath',
    'destinationIp',
    'destinationPort',
    'metadata',
    'notRule',
    'requestedServerName',
  ];
  if (!kinds.some((name) => rule.at(name).exists))
    report({
      field: rule,
      expected: kinds.join(', '),
      reactions: withoutKind(depth, ...(rule.at('destinationPortRange').exists ? [] : (['java'] as const))),
    });
}

/** Go before 1.80 ends when such a rule is in a `not`. */
function withoutKind(depth: number, ...others: readonly Who[]): Reactions {
  return react({
    NACK: ['core', 'go-1.85', ...others, ...(depth > 0 ? since('go-1.80') : [])],
    crash: depth > 0 ? before('go-1.80') : [],
  });
}

function checkPrincipal(id: Field, report: Report, depth: number): void {
  if (depth > maxDepth) return;
  const nested = [
    ...id.in('andIds', 'ids').items(),
    ...id.in('orIds', 'ids').items(),
    ...(id.at('notId').exists ? [id.at('notId')] : []),
  ];
  for (const each of nested) checkPrincipal(each, report, depth + 1);
  checkCommon(id, report, depth);
  checkCidr(id.at('directRemoteIp'), report);
  const source = id.in('sourceIp', 'addressPrefix');
  if (source.exists && parseIpAddress(source.text) === undefined)
    report({ field: source, expected: 'an IP address', reactions: nackBy('go-1.85', 'java', 'envoy') });
  checkCidr(id.at('remoteIp'), report);
  const principal = id.in('authenticated', 'principalName');
  if (id.at('authenticated').exists && !principal.exists)
    report({ field: principal, expected: 'a matcher', reactions: nackBy('java') });
  if (principal.exists)
    checkStringMatcher(principal, ['core', 'go', 'java', 'envoy'], report, { lateValidators: late });
  const kinds = [
    'andIds',
    'orIds',
    'any',
    'authenticated',
    'sourceIp',
    'directRemoteIp',
    'remoteIp',
    'header',
    'urlPath',
    'metadata',
    'notId',
  ];
  if (!kinds.some((name) => id.at(name).exists))
    report({ field: id, expected: kinds.join(', '), reactions: withoutKind(depth, 'java') });
}

function checkCommon(rule: Field, report: Report, depth: number): void {
  const header = rule.at('header');
  if (header.exists) {
    checkNameOfGo(header.at('name'), report, depth);
    // grpc-go compares forbidden names only at the top level (see above).
    if (depth > 0 && isForbidden(header.at('name')))
      report({ field: header.at('name'), expected: headerText, reactions: nackBy('core', 'java') });
    checkHeaderMatcher(header, headerReaders, report);
  }
  const path = rule.at('urlPath');
  if (!path.exists) return;
  if (path.at('path').exists)
    checkStringMatcher(path.at('path'), ['core', 'go', 'java', 'envoy'], report, { lateValidators: late });
  else report({ field: path.at('path'), expected: 'a matcher of the path' });
}

/** C-core 1.51 parses the address when it creates the filter, after it has ACKed the resource. */
function checkCidr(range: Field, report: Report): void {
  if (!range.exists) return;
  const address = range.at('addressPrefix');
  const parsed = parseIpAddress(address.text);
  const length = range.at('prefixLen');
  const reactions = nackBy('go', 'java', 'envoy');
  if (parsed === undefined) report({ field: address, expected: 'an IP address', reactions });
  else if (length.numberOr(0) > parsed.bits)
    report({ field: length, expected: `at most ${parsed.bits}`, reactions: nackBy('go') });
}
