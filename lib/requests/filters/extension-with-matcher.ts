import type { FieldReader } from '../../model/field-reader';
import { evaluateMatcher } from '../matcher-tree';
import { type FilterDecision, type FilterRequest, passes } from './filter-decision';
import { readRequestInput } from './request-input';

const matching = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';

export function isExtensionWithMatcher(config: FieldReader | undefined): boolean {
  return config?.messageName() === matching;
}

/**
 * The filter that an envoy.extensions.common.matching.v3.ExtensionWithMatcher runs for the request, as a TypedExtensionConfig, or
 * what happens without one. "If no match is found the filter is not skipped"; a composite filter without a match does nothing.
 */
export function chooseFilter(of: FilterRequest): FieldReader | FilterDecision {
  const { config, find } = of;
  const own = config.object('extensionConfig');
  const matcher =
    of.overrides.find((each) => each.messageName() === `${matching}PerRoute`)?.object('xdsMatcher') ??
    config.object('xdsMatcher');
  if (own === undefined || matcher === undefined)
    return { kind: 'depends', reason: 'a matcher of a form that is not evaluated chooses the filter' };
  const { result, inputs } = evaluateMatcher(matcher, readRequestInput(of), find);
  if (result.kind === 'unknown') return { kind: 'depends', reason: `its matcher decides: ${result.reason}` };
  const values = inputs.length === 0 ? '' : `: the request has ${inputs.join(', ')}`;
  const isComposite = own.object('typedConfig')?.messageName().endsWith('.composite.v3.Composite') === true;
  if (result.kind === 'none')
    return isComposite ? passes(`its matcher names no filter for the request${values}`) : own;
  const action = result.action.object('typedConfig');
  if (action?.messageName().endsWith('.SkipFilter')) return passes(`its matcher skips it${values}`);
  const delegate = action?.object('typedConfig');
  return isComposite && delegate !== undefined && !action?.has('samplePercent')
    ? delegate
    : { kind: 'depends', reason: `its matcher has an action that is not evaluated${values}` };
}
