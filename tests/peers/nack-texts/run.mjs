// `node tests/peers/nack-texts/run.mjs [service]`: writes tests/fixtures/nack-texts/envoy.json. See tests/peers/README.md.
import { runProgram } from '../run-program.mjs';

await runProgram({ 'nack-texts': 'tests/peers/nack-texts/collect.ts' });
