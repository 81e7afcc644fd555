import type { Field } from '../field';
import { everyNack, nackBy } from '../reactions';
import type { Report } from '../rule';

/**
 * Section 2.1: errors in the Any of an extension that do not depend on its type and apply even if the extension is
 * optional. C-core requires a name after a slash in the type URL, and in the type URL of a TypedStruct.
 */
export function checkExtensionType(config: Field, report: Report): void {
  const isTypedStruct = config.isTypedStruct;
  if (isTypedStruct && config.unreadable !== undefined) {
    report({
      field: config,
      expected: 'a readable TypedStruct',
      got: config.unreadable,
      reactions: everyNack,
    });
    return;
  }
  for (const url of [config.at('@type'), ...(isTypedStruct ? [config.at('typeUrl')] : [])]) {
    if (!/\/[^/]+$/.test(url.text))
      report({ field: url, expected: 'a type URL, as in host/name', reactions: nackBy('core') });
  }
}
