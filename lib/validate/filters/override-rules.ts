import {
  before,
  clientOf,
  type Profile,
  profileSet,
  profiles,
  since,
  type Who,
  within,
} from '../../xds/profile';
import type { Field } from '../field';
import {
  fault,
  filterConfig,
  knownOverrideBy,
  rbac,
  rbacPerRoute,
  router,
  unwrapOverride,
} from '../http-filters';
import { everyNack, nackBy, react } from '../reactions';
import { ruleOfConfig } from '../route/route-rule';
import { type Report, type Rule, reportExceptFor } from '../rule';
import { checkExtensionType } from './extension-type';
import { overridesOf } from './filter-places';

/** R18: filter configs of virtual hosts, routes and weighted clusters. */
export const overrideRules: readonly Rule[] = [
  ruleOfConfig(
    'R18',
    'The override of an HTTP filter is supported, or optional',
    'gRFC A39: overrides',
    everyNack,
    (config, report) => {
      for (const { name, field, skippedBy } of overridesOf(config))
        checkEntry(name, field, reportExceptFor(report, skippedBy));
    },
  ),
];

function checkEntry(name: string, field: Field, report: Report): void {
  if (name === '') report({ field, expected: 'the name of a filter', reactions: nackBy('core') });
  const { config, isOptional } = unwrapOverride(field);
  const isWrapped = config.path !== field.path;
  if (field.unreadable !== undefined) {
    report({ field, expected: 'a readable FilterConfig', got: field.unreadable });
    return;
  }
  if (!config.exists) {
    const readers: Who[] = isOptional ? ['node', ...since('core-1.56')] : ['core', 'go', 'java', 'node'];
    // Envoy does not read the config of a filter that is disabled.
    if (!isWrapped || !field.at('disabled').isTrue) readers.push('envoy');
    report({ field: config, expected: 'a filter config', reactions: nackBy(...readers) });
    return;
  }
  const type = config.typeName;
  if (type === '' && !isWrapped)
    report({ field: config, expected: 'the type of a filter config', reactions: nackBy('envoy') });
  if (isWrapped && type === filterConfig)
    report({ field: config, expected: 'one wrapper', got: 'another', reactions: nackBy('envoy') });
  const known = knownOverrideBy(config);
  // grpc-js-xds does not resolve the type of a TypedStruct inside a wrapper.
  const isUnresolvedByNode = isWrapped && config.isTypedStruct;
  checkExtensionType(config, isUnresolvedByNode ? reportExceptFor(report, profileSet('node')) : report);
  const nonReaders = profiles.filter(
    (profile) => !known.includes(profile) || (clientOf(profile) === 'node' && isUnresolvedByNode),
  );
  if (!isOptional && nonReaders.length > 0)
    report({
      field: config,
      expected: 'the config of a filter that the client supports, or isOptional',
      got: type || 'nothing',
      reactions: nackBy(...nonReaders),
    });
  const readers = known.filter(
    (profile) => clientOf(profile) !== 'node' || (type !== router && !isUnresolvedByNode),
  );
  if (config.unreadable !== undefined)
    report({
      field: config,
      expected: 'a readable filter config',
      got: config.unreadable,
      reactions: nackBy(...readers),
    });
  else if (config.isTypedStruct)
    report({
      field: config,
      expected: `the message ${type}`,
      got: 'a TypedStruct',
      // Envoy reads it, but its router has no overrides.
      reactions: nackBy(
        ...readers.filter((each) => clientOf(each) !== 'envoy' || (type === router && !isOptional)),
      ),
    });
  else checkType(config, isOptional, known, report);
  // It passes the wrapper to the filter instead of the wrapped config.
  if (isWrapped && type === fault && !config.isTypedStruct)
    report({
      field: config,
      expected: 'the config without a FilterConfig wrapper',
      reactions: nackBy('node'),
    });
}

function checkType(config: Field, isOptional: boolean, known: readonly Profile[], report: Report): void {
  const type = config.typeName;
  const only = (...clients: Who[]) => nackBy(...within(known, ...clients));
  if (type === router)
    report({
      field: config,
      expected: 'no override: the router has none',
      got: type,
      reactions: only('core', 'go', 'java', ...(isOptional ? [] : (['envoy'] as const))),
    });
  if (type === rbacPerRoute && !config.at('rbac').exists)
    report({
      field: config.at('rbac'),
      expected: 'an RBAC config',
      reactions: react({ NACK: since('go-1.80'), crash: before('go-1.80') }),
    });
  if (type === rbac)
    report({
      field: config,
      expected: rbacPerRoute,
      got: type,
      // Envoy reads an empty one as an empty override.
      reactions: only('go', 'java', ...(config.names().length > 1 ? (['envoy'] as const) : [])),
    });
}
