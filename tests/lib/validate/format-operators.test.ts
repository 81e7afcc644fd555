import { describe, expect, it } from 'vitest';
import { findFormatError } from '@/lib/validate/envoy/format-operators';
import { profilesOf, releaseOf } from '@/lib/xds/profile';

/** The releases of Envoy that accept a format, as in "1.36 1.37". */
function acceptedBy(format: string): string {
  return profilesOf('envoy')
    .filter((profile) => findFormatError(format, profile) === undefined)
    .map(releaseOf)
    .join(' ');
}

describe('the command operators that Envoy accepts in an access log, as measured with --mode validate', () => {
  it.each([
    ['%PROTOCOL%', '1.36 1.37 1.38 1.39 1.40'],
    ['%METADATA(DYNAMIC:a):5%', '1.36 1.37 1.38 1.39 1.40'],
    ['%REQUEST_HEADER(x)%', '1.37 1.38 1.39 1.40'],
    ['%REQUESTED_SERVER_NAME(SNI_FIRST:ORIG)%', '1.37 1.38 1.39 1.40'],
    ['%METADATA(LISTENER_FILTER_CHAIN:a)%', '1.37 1.38 1.39 1.40'],
    ['%DYNAMIC_METADATA(a):5%', '1.37 1.38 1.39 1.40'],
    ['%QUERY_PARAMS(ORIG)%', '1.38 1.39 1.40'],
    ['%SPAN_ID%', '1.38 1.39 1.40'],
    ['%UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT(x)%', '1.38 1.39 1.40'],
    ['%UPSTREAM_SERVER_NAME%', '1.39 1.40'],
    ['%LISTENER_NAME%', '1.40'],
    ['%DYNAMIC_METADATA%', ''],
    ['%PROTOCOL', ''],
  ])('%s: %s', (format, releases) => {
    expect(acceptedBy(format)).toBe(releases);
  });
});
