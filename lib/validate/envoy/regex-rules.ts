import type { Field } from '../field';
import { programSizeOf } from '../re2';
import { nackBy, noNacks } from '../reactions';
import { routesOf, virtualHostsOf } from '../route/route-parts';
import { ruleOfConfig } from '../route/route-rule';
import type { Dependence, Rule } from '../rule';

/** re2.max_program_size.error_level if the runtime of Envoy does not set it. */
const defaultSize = 100;

/** The C++ library compiles such a class to many ranges of bytes. */
const unicode = /\\[pP]/;
const unknownSize: Dependence = {
  dependsOn:
    'The size of the programs to which the RE2 of Envoy compiles Unicode classes, which is not known here: it NACKs those of more than 100 instructions.',
  otherwise: nackBy('envoy'),
};

/** Envoy limits the programs to which RE2 compiles regular expressions. */
export const envoyRegexRules: readonly Rule[] = [
  ruleOfConfig(
    'ENVOY-regex',
    'The programs of regular expressions are within the limit',
    'Envoy: measured with 1.40.0',
    nackBy('envoy'),
    (config, report, { isWithoutClient }) => {
      for (const matcher of regexesOf(config)) {
        const field = matcher.at('regex');
        const limit = matcher.in('googleRe2', 'maxProgramSize');
        if (!field.exists || (!limit.exists && isWithoutClient !== true)) continue;
        if (unicode.test(field.text))
          report({
            field,
            expected: 'a program within the limit',
            reactions: noNacks,
            dependence: unknownSize,
          });
        const size = programSizeOf(field.text);
        if (size <= limit.numberOr(defaultSize)) continue;
        report({
          field,
          expected: `a program of at most ${limit.numberOr(defaultSize)} instructions`,
          got: `about ${size}`,
          ...(!limit.exists && {
            dependence: {
              dependsOn: `The runtime of Envoy, which is not known here: re2.max_program_size.error_level is assumed to have its default of ${defaultSize}.`,
              otherwise: noNacks,
            },
          }),
        });
      }
    },
  ),
];

function regexesOf(config: Field): Field[] {
  const routes = virtualHostsOf(config).flatMap((host) => routesOf(host).map(({ field }) => field));
  return routes.flatMap((route) => {
    const match = route.at('match');
    const rewrites = [
      route.in('route', 'regexRewrite'),
      route.in('route', 'hostRewritePathRegex'),
      route.in('redirect', 'regexRewrite'),
    ];
    return [
      match.at('safeRegex'),
      ...match
        .at('headers')
        .items()
        .flatMap((header) => [header.at('safeRegexMatch'), header.in('stringMatch', 'safeRegex')]),
      ...match
        .at('queryParameters')
        .items()
        .map((parameter) => parameter.in('stringMatch', 'safeRegex')),
      ...rewrites.map((rewrite) => rewrite.at('pattern')),
    ];
  });
}
