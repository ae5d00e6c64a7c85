/**
 * Runs before each test file. Property tests draw from one known seed, so that a run is the same each time; `COX_SEED=N ./cox test …`
 * tries another, and a failure prints the seed it was found with.
 */
import fc from 'fast-check';

const seed = Number(process.env['COX_SEED'] ?? 20_261_128);
if (!Number.isInteger(seed)) throw new Error(`COX_SEED is ${process.env['COX_SEED']}; it must be a whole number`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
