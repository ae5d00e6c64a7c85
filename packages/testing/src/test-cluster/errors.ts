/** Something did not come to be in time. The message says what was waited for, how long, and how it stood at the end. */
export class TestTimeout extends Error {
  override readonly name = 'TestTimeout';
}
