/** The MatrixOne operator as a program. */
import { runManager } from '@coxswain/operator-matrixone/process';

await runManager(process);
