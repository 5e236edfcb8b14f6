<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>lockstep::ui</name>
        <message>
            <source>About Lockstep</source>
            <translation>Über Lockstep</translation>
        </message>
        <message>
            <source>Lockstep %1</source>
            <translation>Lockstep %1</translation>
        </message>
        <message>
            <source>Configures, launches, watches and evaluates synchronous data-parallel training.

This program is free software under the GNU General Public License, version 3 or later. It comes without any warranty.</source>
            <translation>Konfiguriert, startet, überwacht und bewertet synchrones datenparalleles Training.

Dieses Programm ist freie Software unter der GNU General Public License, Version 3 oder später. Es kommt ohne jede Gewährleistung.</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Schließen</translation>
        </message>
        <message>
            <source>Closing the window ends the job “%1”.</source>
            <translation>Das Schließen des Fensters beendet den Job „%1“.</translation>
        </message>
        <message>
            <source>Closing the run ends the job “%1”.</source>
            <translation>Das Schließen des Laufs beendet den Job „%1“.</translation>
        </message>
        <message>
            <source>Opening another run ends the job “%1”.</source>
            <translation>Das Öffnen eines anderen Laufs beendet den Job „%1“.</translation>
        </message>
        <message>
            <source>End job and open</source>
            <translation>Job beenden und öffnen</translation>
        </message>
        <message>
            <source>End job and close</source>
            <translation>Job beenden und schließen</translation>
        </message>
        <message>
            <source>End the running job?</source>
            <translation>Den laufenden Job beenden?</translation>
        </message>
        <message>
            <source>It is tied to this window: On closing, in its Launch card, is “tied”. “detached” lets it go on.</source>
            <translation>Er ist an dieses Fenster gebunden: „Beim Schließen“ auf seiner Karte „Start“ steht auf „tied“. Mit „detached“ läuft er weiter.</translation>
        </message>
        <message>
            <source>Keep running</source>
            <translation>Weiterlaufen lassen</translation>
        </message>
        <message>
            <source>Close the window?</source>
            <translation>Fenster schließen?</translation>
        </message>
        <message>
            <source>“%1” goes on without this window.</source>
            <translation>„%1“ läuft ohne dieses Fenster weiter.</translation>
        </message>
        <message>
            <source>When Lockstep is started again, it offers to open it. On a terminal:
%1</source>
            <translation>Beim nächsten Start bietet Lockstep an, ihn zu öffnen. Im Terminal:
%1</translation>
        </message>
        <message>
            <source>Close without this question from now on</source>
            <translation>Künftig ohne Rückfrage schließen</translation>
        </message>
        <message>
            <source>Stay</source>
            <translation>Nicht schließen</translation>
        </message>
        <message>
            <source>Save the changes?</source>
            <translation>Änderungen speichern?</translation>
        </message>
        <message>
            <source>The job “%1” has changes that are not saved.</source>
            <translation>Der Job „%1“ hat ungespeicherte Änderungen.</translation>
        </message>
        <message>
            <source>Discard changes</source>
            <translation>Änderungen verwerfen</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Speichern</translation>
        </message>
        <message>
            <source>left open</source>
            <translation>offen gelassen</translation>
        </message>
        <message>
            <source>a part at a random place, of zeros around it, too</source>
            <translation>ein Ausschnitt an zufälliger Stelle, auch mit Nullen am Rand</translation>
        </message>
        <message>
            <source>a part of random size and shape, brought to one size</source>
            <translation>ein Ausschnitt von zufälliger Größe und Form, auf eine Größe gebracht</translation>
        </message>
        <message>
            <source>mirrored, or not</source>
            <translation>gespiegelt oder nicht</translation>
        </message>
        <message>
            <source>turned by parts of a full turn</source>
            <translation>gedreht, in Anteilen einer vollen Drehung</translation>
        </message>
        <message>
            <source>larger or smaller, by shares of the size</source>
            <translation>größer oder kleiner, in Anteilen der Größe</translation>
        </message>
        <message>
            <source>moved, by shares of the size</source>
            <translation>verschoben, in Anteilen der Größe</translation>
        </message>
        <message>
            <source>lighter or darker</source>
            <translation>heller oder dunkler</translation>
        </message>
        <message>
            <source>more or less contrast</source>
            <translation>mehr oder weniger Kontrast</translation>
        </message>
        <message>
            <source>a rectangle is painted over</source>
            <translation>ein Rechteck wird übermalt</translation>
        </message>
        <message>
            <source>mixed with another sample, and so are their classes</source>
            <translation>mit einem anderen Beispiel gemischt, und ebenso ihre Klassen</translation>
        </message>
        <message>
            <source>a rectangle of another sample, with its share of the class</source>
            <translation>ein Rechteck aus einem anderen Beispiel, mit entsprechendem Anteil an der Klasse</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>Run folder</source>
            <translation>Laufordner</translation>
        </message>
        <message>
            <source>Epochs as CSV</source>
            <translation>Epochen als CSV</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>Adresse</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>Evaluator</translation>
        </message>
        <message>
            <source>Replicas each</source>
            <translation>Replikate/Prozess</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <source>Transport</source>
            <translation>Transport</translation>
        </message>
        <message>
            <source>Heartbeat limit</source>
            <translation>Heartbeat-Frist</translation>
        </message>
        <message>
            <source>Start limit</source>
            <translation>Startfrist</translation>
        </message>
        <message>
            <source>GPUs of a host</source>
            <translation>GPUs je Host</translation>
        </message>
        <message>
            <source>Mesh rows</source>
            <translation>Mesh-Zeilen</translation>
        </message>
        <message>
            <source>Mesh columns</source>
            <translation>Mesh-Spalten</translation>
        </message>
        <message>
            <source>Layout</source>
            <translation>Layout</translation>
        </message>
        <message>
            <source>Method</source>
            <translation>Methode</translation>
        </message>
        <message>
            <source>Hosts</source>
            <translation>Hosts</translation>
        </message>
        <message>
            <source>ssh settings</source>
            <translation>ssh-Einstellungen</translation>
        </message>
        <message>
            <source>Lease</source>
            <translation>Lease</translation>
        </message>
        <message>
            <source>On closing</source>
            <translation>Beim Schließen</translation>
        </message>
        <message>
            <source>On failure</source>
            <translation>Bei Ausfall</translation>
        </message>
        <message>
            <source>Restarts</source>
            <translation>Neustarts</translation>
        </message>
        <message>
            <source>When stuck</source>
            <translation>Wenn Job hängt</translation>
        </message>
        <message>
            <source>Grace</source>
            <translation>Schonfrist</translation>
        </message>
        <message>
            <source>Command</source>
            <translation>Befehl</translation>
        </message>
        <message>
            <source>Environment</source>
            <translation>Umgebung</translation>
        </message>
        <message>
            <source>Works in</source>
            <translation>Arbeitsordner</translation>
        </message>
        <message>
            <source>Partition</source>
            <translation>Partition</translation>
        </message>
        <message>
            <source>Account</source>
            <translation>Account</translation>
        </message>
        <message>
            <source>Time limit</source>
            <translation>Zeitlimit</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>Knoten</translation>
        </message>
        <message>
            <source>Stops before it</source>
            <translation>Stopp vor Limit</translation>
        </message>
        <message>
            <source>More options</source>
            <translation>Weitere Optionen</translation>
        </message>
        <message>
            <source>Data set</source>
            <translation>Datensatz</translation>
        </message>
        <message>
            <source>Folder</source>
            <translation>Ordner</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>Validierung</translation>
        </message>
        <message>
            <source>Files</source>
            <translation>Dateien</translation>
        </message>
        <message>
            <source>Target</source>
            <translation>Ziel</translation>
        </message>
        <message>
            <source>Target scale</source>
            <translation>Zielskalierung</translation>
        </message>
        <message>
            <source>Missing cells</source>
            <translation>Fehlende Zellen</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>Sequence</source>
            <translation>Sequenzlänge</translation>
        </message>
        <message>
            <source>Inputs</source>
            <translation>Eingaben</translation>
        </message>
        <message>
            <source>Targets</source>
            <translation>Ziele</translation>
        </message>
        <message>
            <source>Validation inputs</source>
            <translation>Valid.-Eingaben</translation>
        </message>
        <message>
            <source>Validation targets</source>
            <translation>Valid.-Ziele</translation>
        </message>
        <message>
            <source>Test inputs</source>
            <translation>Test-Eingaben</translation>
        </message>
        <message>
            <source>Test targets</source>
            <translation>Test-Ziele</translation>
        </message>
        <message>
            <source>Validation share</source>
            <translation>Valid.-Anteil</translation>
        </message>
        <message>
            <source>Image size</source>
            <translation>Bildgröße</translation>
        </message>
        <message>
            <source>Colour</source>
            <translation>Farbe</translation>
        </message>
        <message>
            <source>Validation folder</source>
            <translation>Valid.-Ordner</translation>
        </message>
        <message>
            <source>Test folder</source>
            <translation>Testordner</translation>
        </message>
        <message>
            <source>Broken samples</source>
            <translation>Defekte Beispiele</translation>
        </message>
        <message>
            <source>Random changes</source>
            <translation>Zufallsänderungen</translation>
        </message>
        <message>
            <source>Subtract mean</source>
            <translation>Mittel abziehen</translation>
        </message>
        <message>
            <source>Divide by std</source>
            <translation>Durch Std. teilen</translation>
        </message>
        <message>
            <source>Cache</source>
            <translation>Cache</translation>
        </message>
        <message>
            <source>Prefetch</source>
            <translation>Prefetch</translation>
        </message>
        <message>
            <source>Sharding</source>
            <translation>Sharding</translation>
        </message>
        <message>
            <source>Shuffle</source>
            <translation>Mischen</translation>
        </message>
        <message>
            <source>Reshuffle</source>
            <translation>Neu mischen</translation>
        </message>
        <message>
            <source>Order's seed</source>
            <translation>Misch-Seed</translation>
        </message>
        <message>
            <source>Drop remainder</source>
            <translation>Rest weglassen</translation>
        </message>
        <message>
            <source>Begin with</source>
            <translation>Anfangsgewichte</translation>
        </message>
        <message>
            <source>Global batch</source>
            <translation>Globaler Batch</translation>
        </message>
        <message>
            <source>Epochs</source>
            <translation>Epochen</translation>
        </message>
        <message>
            <source>Or steps</source>
            <translation>Oder Schritte</translation>
        </message>
        <message>
            <source>Validate every</source>
            <translation>Validieren alle</translation>
        </message>
        <message>
            <source>Batch in parts</source>
            <translation>Batch in Teilen</translation>
        </message>
        <message>
            <source>Average weights</source>
            <translation>Gewichte mitteln</translation>
        </message>
        <message>
            <source>Average keeps</source>
            <translation>Mittel behält</translation>
        </message>
        <message>
            <source>Optimizer</source>
            <translation>Optimizer</translation>
        </message>
        <message>
            <source>Learning rate</source>
            <translation>Lernrate</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>Seed</translation>
        </message>
        <message>
            <source>Precision</source>
            <translation>Zahlenformat</translation>
        </message>
        <message>
            <source>Tune</source>
            <translation>Tuning</translation>
        </message>
        <message>
            <source>Ends at NaN</source>
            <translation>Ende bei NaN</translation>
        </message>
        <message>
            <source>Check weights</source>
            <translation>Gewichte prüfen</translation>
        </message>
        <message>
            <source>Momentum</source>
            <translation>Momentum</translation>
        </message>
        <message>
            <source>Beta 1</source>
            <translation>Beta 1</translation>
        </message>
        <message>
            <source>Beta 2</source>
            <translation>Beta 2</translation>
        </message>
        <message>
            <source>Epsilon</source>
            <translation>Epsilon</translation>
        </message>
        <message>
            <source>Rho</source>
            <translation>Rho</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Label smoothing</source>
            <translation>Label Smoothing</translation>
        </message>
        <message>
            <source>Ignored class</source>
            <translation>Ignorierte Klasse</translation>
        </message>
        <message>
            <source>Class weights</source>
            <translation>Klassengewichte</translation>
        </message>
        <message>
            <source>Huber's delta</source>
            <translation>Huber-Delta</translation>
        </message>
        <message>
            <source>Metrics</source>
            <translation>Metriken</translation>
        </message>
        <message>
            <source>Nesterov</source>
            <translation>Nesterov</translation>
        </message>
        <message>
            <source>Weight decay</source>
            <translation>Weight Decay</translation>
        </message>
        <message>
            <source>Decays</source>
            <translation>Decay für</translation>
        </message>
        <message>
            <source>Clip each norm</source>
            <translation>Clipping je Tensor</translation>
        </message>
        <message>
            <source>Clip values</source>
            <translation>Clipping je Wert</translation>
        </message>
        <message>
            <source>Clip the norm</source>
            <translation>Clipping gesamt</translation>
        </message>
        <message>
            <source>Schedule</source>
            <translation>Lernratenverlauf</translation>
        </message>
        <message>
            <source>First rate</source>
            <translation>Anfangsrate</translation>
        </message>
        <message>
            <source>Decay</source>
            <translation>Abfall</translation>
        </message>
        <message>
            <source>Decay in epochs</source>
            <translation>Abfall in Epochen</translation>
        </message>
        <message>
            <source>Share left</source>
            <translation>Restanteil</translation>
        </message>
        <message>
            <source>Warm-up to</source>
            <translation>Warm-up bis</translation>
        </message>
        <message>
            <source>Warm-up</source>
            <translation>Warm-up</translation>
        </message>
        <message>
            <source>Warm-up, epochs</source>
            <translation>Warm-up-Epochen</translation>
        </message>
        <message>
            <source>Decay rate</source>
            <translation>Abfallfaktor</translation>
        </message>
        <message>
            <source>In stairs</source>
            <translation>In Stufen</translation>
        </message>
        <message>
            <source>Boundaries</source>
            <translation>Grenzen</translation>
        </message>
        <message>
            <source>Rates</source>
            <translation>Raten</translation>
        </message>
        <message>
            <source>Last rate</source>
            <translation>Endrate</translation>
        </message>
        <message>
            <source>Power</source>
            <translation>Exponent</translation>
        </message>
        <message>
            <source>Cycle</source>
            <translation>Zyklisch</translation>
        </message>
        <message>
            <source>Factor</source>
            <translation>Faktor</translation>
        </message>
        <message>
            <source>Plateau of</source>
            <translation>Plateau von</translation>
        </message>
        <message>
            <source>Better by</source>
            <translation>Besser um</translation>
        </message>
        <message>
            <source>Then waits</source>
            <translation>Danach Pause</translation>
        </message>
        <message>
            <source>Least rate</source>
            <translation>Kleinste Rate</translation>
        </message>
        <message>
            <source>Every … steps</source>
            <translation>Alle … Schritte</translation>
        </message>
        <message>
            <source>Every … epochs</source>
            <translation>Alle … Epochen</translation>
        </message>
        <message>
            <source>Keep newest</source>
            <translation>Neueste behalten</translation>
        </message>
        <message>
            <source>Keep unscored</source>
            <translation>Unbew. behalten</translation>
        </message>
        <message>
            <source>Keep the best</source>
            <translation>Besten behalten</translation>
        </message>
        <message>
            <source>Best by</source>
            <translation>Bester nach</translation>
        </message>
        <message>
            <source>Best is</source>
            <translation>Bester ist</translation>
        </message>
        <message>
            <source>Resume</source>
            <translation>Fortsetzen</translation>
        </message>
        <message>
            <source>In shards</source>
            <translation>In Shards</translation>
        </message>
        <message>
            <source>Evaluators</source>
            <translation>Evaluatoren</translation>
        </message>
        <message>
            <source>They score</source>
            <translation>Bewertet werden</translation>
        </message>
        <message>
            <source>They compute on</source>
            <translation>Evaluator-Gerät</translation>
        </message>
        <message>
            <source>Stop early by</source>
            <translation>Early Stopping</translation>
        </message>
        <message>
            <source>Patience</source>
            <translation>Geduld</translation>
        </message>
        <message>
            <source>Better is</source>
            <translation>Besser ist</translation>
        </message>
        <message>
            <source>Restore the best</source>
            <translation>Beste Gewichte</translation>
        </message>
        <message>
            <source>the column %1</source>
            <translation>Spalte %1</translation>
        </message>
        <message>
            <source>layer %1</source>
            <translation>Schicht %1</translation>
        </message>
        <message>
            <source>the units of %1</source>
            <translation>Units von %1</translation>
        </message>
        <message>
            <source>the activation of %1</source>
            <translation>Aktivierung von %1</translation>
        </message>
        <message>
            <source>random change %1</source>
            <translation>Zufallsänderung %1</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>the address of process %1</source>
            <translation>Adresse von Prozess %1</translation>
        </message>
        <message>
            <source>the host of process %1</source>
            <translation>Host von Prozess %1</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>Genauigkeit</translation>
        </message>
        <message>
            <source>Top-%1 accuracy</source>
            <translation>Top-%1-Genauigkeit</translation>
        </message>
        <message>
            <source>Binary accuracy</source>
            <translation>Binäre Genauigkeit</translation>
        </message>
        <message>
            <source>AUC</source>
            <translation>AUC</translation>
        </message>
        <message>
            <source>Recall</source>
            <translation>Recall</translation>
        </message>
        <message>
            <source>Mean absolute error</source>
            <translation>Mittlerer absoluter Fehler</translation>
        </message>
        <message>
            <source>Root mean squared error</source>
            <translation>Wurzel des mittleren quadratischen Fehlers</translation>
        </message>
        <message>
            <source>Perplexity</source>
            <translation>Perplexität</translation>
        </message>
        <message>
            <source>Gradient norm</source>
            <translation>Gradientennorm</translation>
        </message>
        <message>
            <source>training</source>
            <translation>Training</translation>
        </message>
        <message>
            <source>validation</source>
            <translation>Validierung</translation>
        </message>
        <message>
            <source>test</source>
            <translation>Test</translation>
        </message>
        <message>
            <source>MAE</source>
            <translation>MAE</translation>
        </message>
        <message>
            <source>RMSE</source>
            <translation>RMSE</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1, %2</translation>
        </message>
        <message>
            <source>The run</source>
            <translation>Der Lauf</translation>
        </message>
        <message>
            <source>%1 has failed</source>
            <translation>%1 ist fehlgeschlagen</translation>
        </message>
        <message>
            <source>%1 is completed</source>
            <translation>%1 ist abgeschlossen</translation>
        </message>
        <message>
            <source>%1 has stopped</source>
            <translation>%1 wurde gestoppt</translation>
        </message>
        <message>
            <source>Processes</source>
            <translation>Prozesse</translation>
        </message>
        <message>
            <source>Checkpoint every</source>
            <translation>Checkpoint alle</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>Schichten</translation>
        </message>
        <message>
            <source> in %1</source>
            <translation> in %1</translation>
        </message>
        <message>
            <source>test %1, </source>
            <translation>%1 (Test), </translation>
        </message>
        <message>
            <source>%1 %2, </source>
            <translation>%2 (%1), </translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>agent %1</source>
            <translation>Agent %1</translation>
        </message>
        <message>
            <source>%1 · replica %2</source>
            <translation>%1 · Replikat %2</translation>
        </message>
        <message>
            <source>evaluator</source>
            <translation>Evaluator</translation>
        </message>
        <message>
            <source>evaluator %1</source>
            <translation>Evaluator %1</translation>
        </message>
        <message>
            <source>agent</source>
            <translation>Agent</translation>
        </message>
        <message>
            <source>process %1</source>
            <translation>Prozess %1</translation>
        </message>
        <message>
            <source>chief</source>
            <translation>Chief</translation>
        </message>
        <message>
            <source>worker</source>
            <translation>Worker</translation>
        </message>
        <message>
            <source>data</source>
            <translation>Daten</translation>
        </message>
        <message>
            <source>forward</source>
            <translation>Vorwärts</translation>
        </message>
        <message>
            <source>backward</source>
            <translation>Rückwärts</translation>
        </message>
        <message>
            <source>all-reduce</source>
            <translation>All-Reduce</translation>
        </message>
        <message>
            <source>update</source>
            <translation>Update</translation>
        </message>
        <message>
            <source>starting</source>
            <translation>Start</translation>
        </message>
        <message>
            <source>checkpoint</source>
            <translation>Checkpoint</translation>
        </message>
        <message>
            <source>evaluate</source>
            <translation>Auswertung</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>Warten</translation>
        </message>
        <message>
            <source>done</source>
            <translation>Fertig</translation>
        </message>
        <message>
            <source>program</source>
            <translation>Programm</translation>
        </message>
        <message>
            <source>Launching</source>
            <translation>Startet</translation>
        </message>
        <message>
            <source>Training</source>
            <translation>Trainiert</translation>
        </message>
        <message>
            <source>Validating</source>
            <translation>Validiert</translation>
        </message>
        <message>
            <source>Testing</source>
            <translation>Testet</translation>
        </message>
        <message>
            <source>Stopping</source>
            <translation>Stoppt</translation>
        </message>
        <message>
            <source>Restarting</source>
            <translation>Startet neu</translation>
        </message>
        <message>
            <source>Completed</source>
            <translation>Abgeschlossen</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>Fehlgeschlagen</translation>
        </message>
        <message>
            <source>Stopped</source>
            <translation>Gestoppt</translation>
        </message>
        <message>
            <source>Completed: %1%2 steps%3</source>
            <translation>Abgeschlossen: %1%2 Schritte%3</translation>
        </message>
        <message>
            <source>Stopped after step %1%2</source>
            <translation>Gestoppt nach Schritt %1%2</translation>
        </message>
        <message>
            <source>Stopped after step %1 of %2%3</source>
            <translation>Gestoppt nach Schritt %1 von %2%3</translation>
        </message>
        <message>
            <source>Failed after step %1: %2</source>
            <translation>Fehlgeschlagen nach Schritt %1: %2</translation>
        </message>
        <message>
            <source>%1 of %2 replicas alive</source>
            <translation>%1 von %2 Replikaten aktiv</translation>
        </message>
        <message>
            <source>none yet</source>
            <translation>noch keiner</translation>
        </message>
        <message>
            <source>%1 ago</source>
            <translation>vor %1</translation>
        </message>
        <message>
            <source>no step yet</source>
            <translation>noch kein Schritt</translation>
        </message>
        <message>
            <source>%1 %2 %</source>
            <translation>%1 %2 %</translation>
        </message>
        <message>
            <source>1 layer</source>
            <translation>1 Schicht</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 Schichten</translation>
        </message>
        <message>
            <source>%1 parameters</source>
            <translation>%1 Parameter</translation>
        </message>
        <message>
            <source>Opening</source>
            <translation>Wird geöffnet</translation>
        </message>
        <message>
            <source>The run is being opened</source>
            <translation>Der Lauf wird geöffnet</translation>
        </message>
        <message>
            <source>The run is being started</source>
            <translation>Der Lauf wird gestartet</translation>
        </message>
        <message>
            <source>Kill now</source>
            <translation>Sofort beenden</translation>
        </message>
        <message>
            <source>Stopping after the step in flight. Press again to end the processes now; steps since the last checkpoint are lost</source>
            <translation>Stoppt nach dem laufenden Schritt. Erneut drücken, um die Prozesse sofort zu beenden; Schritte seit dem letzten Checkpoint gehen dabei verloren</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Stoppen</translation>
        </message>
        <message>
            <source>End after the step in flight, with a checkpoint (%1)</source>
            <translation>Nach dem laufenden Schritt mit einem Checkpoint beenden (%1)</translation>
        </message>
        <message>
            <source>Go on from the newest checkpoint of this run (%1)</source>
            <translation>Ab dem neuesten Checkpoint dieses Laufs weitermachen (%1)</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>Starten</translation>
        </message>
        <message>
            <source>Open a job first</source>
            <translation>Zuerst einen Job öffnen</translation>
        </message>
        <message>
            <source>Correct the problems on the Job page first</source>
            <translation>Zuerst die Probleme auf der Seite Job beheben</translation>
        </message>
        <message>
            <source>Launch anew</source>
            <translation>Neuen Lauf starten</translation>
        </message>
        <message>
            <source>Start this job as a new run, in a folder of its own (%1)</source>
            <translation>Diesen Job als neuen Lauf in einem eigenen Ordner starten (%1)</translation>
        </message>
        <message>
            <source>Start this job (%1)</source>
            <translation>Diesen Job starten (%1)</translation>
        </message>
        <message>
            <source>▲ points above this axis: %1</source>
            <translation>▲ Punkte über dieser Achse: %1</translation>
        </message>
        <message>
            <source>▲ points above this axis: %1 or more</source>
            <translation>▲ Punkte über dieser Achse: %1 oder mehr</translation>
        </message>
        <message>
            <source>Precision</source>
            <comment>metric</comment>
            <translation>Precision</translation>
        </message>
        <message>
            <source>%1 on %2 %3</source>
            <translation>%1 auf %2 %3</translation>
        </message>
        <message>
            <source>%1 on %2: %3</source>
            <translation>%1 auf %2: %3</translation>
        </message>
        <message>
            <source>, </source>
            <translation>, </translation>
        </message>
        <message>
            <source>“%1”</source>
            <translation>„%1“</translation>
        </message>
        <message>
            <source>accuracy</source>
            <translation>Genauigkeit</translation>
        </message>
        <message>
            <source>top-%1 accuracy</source>
            <translation>Top-%1-Genauigkeit</translation>
        </message>
        <message>
            <source>binary accuracy</source>
            <translation>binäre Genauigkeit</translation>
        </message>
        <message>
            <source>precision</source>
            <translation>Precision</translation>
        </message>
        <message>
            <source>recall</source>
            <translation>Recall</translation>
        </message>
        <message>
            <source>perplexity</source>
            <translation>Perplexität</translation>
        </message>
        <message>
            <source>loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Completed: %1%2 step%3</source>
            <translation>Abgeschlossen: %1%2 Schritt%3</translation>
        </message>
        <message>
            <source>Spare hosts</source>
            <translation>Ersatz-Hosts</translation>
        </message>
        <message>
            <source>Least left</source>
            <translation>Mindestens übrig</translation>
        </message>
        <message>
            <source>Spare after</source>
            <translation>Ersatz nach</translation>
        </message>
        <message>
            <source>Copies</source>
            <translation>Kopien</translation>
        </message>
        <message>
            <source>spare host %1</source>
            <translation>Ersatz-Host %1</translation>
        </message>
        <message>
            <source>You see the run as it was. Go back to now (End) to act on it</source>
            <translation>Der Lauf ist zu sehen, wie er war. Zurück zum Jetzt (Ende), um etwas mit ihm zu tun</translation>
        </message>
        <message>
            <source>debug</source>
            <translation>Debug</translation>
        </message>
        <message>
            <source>info</source>
            <translation>Info</translation>
        </message>
        <message>
            <source>warning</source>
            <translation>Warnung</translation>
        </message>
        <message>
            <source>error</source>
            <translation>Fehler</translation>
        </message>
        <message>
            <source>batches</source>
            <translation>Batches</translation>
        </message>
        <message>
            <source>checkpoints</source>
            <translation>Checkpoints</translation>
        </message>
        <message>
            <source>columns</source>
            <translation>Spalten</translation>
        </message>
        <message>
            <source>epochs</source>
            <translation>Epochen</translation>
        </message>
        <message>
            <source>parts</source>
            <translation>Teile</translation>
        </message>
        <message>
            <source>pixels</source>
            <translation>Pixel</translation>
        </message>
        <message>
            <source>processes</source>
            <translation>Prozesse</translation>
        </message>
        <message>
            <source>replicas</source>
            <translation>Replikate</translation>
        </message>
        <message>
            <source>restarts</source>
            <translation>Neustarts</translation>
        </message>
        <message>
            <source>samples</source>
            <translation>Beispiele</translation>
        </message>
        <message>
            <source>steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>hosts</source>
            <translation>Hosts</translation>
        </message>
        <message>
            <source>nodes</source>
            <translation>Knoten</translation>
        </message>
        <message>
            <source>rows</source>
            <translation>Zeilen</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>Right at step %1; no other answer is known.</source>
            <translation>Bei Schritt %1 richtig; keine weitere Antwort ist bekannt.</translation>
        </message>
        <message>
            <source>Wrong at step %1; no other answer is known.</source>
            <translation>Bei Schritt %1 falsch; keine weitere Antwort ist bekannt.</translation>
        </message>
        <message>
            <source>Right at all %1 checkpoints.</source>
            <translation>Bei allen %1 Checkpoints richtig.</translation>
        </message>
        <message>
            <source>Wrong at all %1 checkpoints.</source>
            <translation>Bei allen %1 Checkpoints falsch.</translation>
        </message>
        <message>
            <source>Right at all %1 checkpoints whose answer is known.</source>
            <translation>Bei allen %1 Checkpoints richtig, deren Antwort bekannt ist.</translation>
        </message>
        <message>
            <source>Wrong at all %1 checkpoints whose answer is known.</source>
            <translation>Bei allen %1 Checkpoints falsch, deren Antwort bekannt ist.</translation>
        </message>
        <message>
            <source>Right since step %1.</source>
            <translation>Richtig seit Schritt %1.</translation>
        </message>
        <message>
            <source>Wrong since step %1.</source>
            <translation>Falsch seit Schritt %1.</translation>
        </message>
        <message>
            <source>Right since step %1 at the latest; wrong at step %2.</source>
            <translation>Spätestens seit Schritt %1 richtig; bei Schritt %2 falsch.</translation>
        </message>
        <message>
            <source>Wrong since step %1 at the latest; right at step %2.</source>
            <translation>Spätestens seit Schritt %1 falsch; bei Schritt %2 richtig.</translation>
        </message>
        <message>
            <source>It changed its mind at least %1 times, last at step %2.</source>
            <translation>Die Antwort hat sich mindestens %1-mal geändert, zuletzt bei Schritt %2.</translation>
        </message>
        <message>
            <source>It changed its mind %1 times, last at step %2.</source>
            <translation>Die Antwort hat sich %1-mal geändert, zuletzt bei Schritt %2.</translation>
        </message>
        <message>
            <source>Gone, with nothing recorded of this sample, and not asked: %1 of %2 checkpoints.</source>
            <translation>Gelöscht, ohne Aufzeichnung zu diesem Beispiel, und nicht befragt: %1 von %2 Checkpoints.</translation>
        </message>
        <message>
            <source>Not asked yet: %1 of %2.</source>
            <translation>Noch nicht befragt: %1 von %2.</translation>
        </message>
        <message>
            <source>Could not answer: %1 of %2, %3.</source>
            <translation>Ohne Antwort: %1 von %2, %3.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AboutRunDialog</name>
        <message>
            <source>Name, tags and note</source>
            <translation>Name, Tags und Notiz</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>What the run is called; its folder stays as it is</source>
            <translation>Wie der Lauf heißt; sein Ordner bleibt, wie er ist</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>Tags</translation>
        </message>
        <message>
            <source>baseline keep</source>
            <translation>baseline behalten</translation>
        </message>
        <message>
            <source>Words, with blanks between them; tag:word in the filter finds them</source>
            <translation>Wörter, durch Leerzeichen getrennt; im Filter findet tag:wort sie</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>Notiz</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Speichern</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AnswerModel</name>
        <message>
            <source>the row</source>
            <translation>die Zeile</translation>
        </message>
        <message>
            <source>%1, image %2</source>
            <translation>%1, Bild %2</translation>
        </message>
        <message>
            <source>row %1</source>
            <translation>Zeile %1</translation>
        </message>
        <message>
            <source>%1, line %2</source>
            <translation>%1, Zeile %2</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>Sample</source>
            <translation>Beispiel</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>Antwort</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AnswerStrip</name>
        <message>
            <source>What the checkpoints say of this sample</source>
            <translation>Was die Checkpoints zu diesem Beispiel sagen</translation>
        </message>
        <message>
            <source>Step %1</source>
            <translation>Schritt %1</translation>
        </message>
        <message>
            <source>%1: recognised with %2</source>
            <translation>%1: erkannt mit %2</translation>
        </message>
        <message>
            <source>%1: taken for %2 with %3, its own class has %4</source>
            <translation>%1: für %2 gehalten mit %3, die eigene Klasse hat %4</translation>
        </message>
        <message>
            <source>%1: not asked yet</source>
            <translation>%1: noch nicht befragt</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1: %2</translation>
        </message>
        <message>
            <source>%1: its files are gone, and nothing was recorded of this sample</source>
            <translation>%1: die Dateien sind weg, und zu diesem Beispiel wurde nichts aufgezeichnet</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AnswersCard</name>
        <message>
            <source>Answers</source>
            <translation>Antworten</translation>
        </message>
        <message>
            <source>Text that the network writes</source>
            <translation>Text, den das Netz schreibt</translation>
        </message>
        <message>
            <source>and %1 more remarks</source>
            <translation>und %1 weitere Anmerkungen</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Copy all answers, for a spreadsheet</source>
            <translation>Alle Antworten kopieren, für eine Tabellenkalkulation</translation>
        </message>
        <message>
            <source>Save as JSON or CSV …</source>
            <translation>Als JSON oder CSV speichern …</translation>
        </message>
        <message>
            <source>What the network says is shown here.</source>
            <translation>Was das Netz antwortet, erscheint hier.</translation>
        </message>
        <message>
            <source>Reading the checkpoint …</source>
            <translation>Checkpoint wird gelesen …</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>Answered by step %1</source>
            <translation>Beantwortet mit dem Netz von Schritt %1</translation>
        </message>
        <message>
            <source>%1 answers</source>
            <translation>%1 Antworten</translation>
        </message>
        <message>
            <source>%1 without an answer</source>
            <translation>%1 ohne Antwort</translation>
        </message>
        <message>
            <source>cancelled</source>
            <translation>abgebrochen</translation>
        </message>
        <message>
            <source>Save answers</source>
            <translation>Antworten speichern</translation>
        </message>
        <message>
            <source>JSON (*.json);;CSV (*.csv)</source>
            <translation>JSON (*.json);;CSV (*.csv)</translation>
        </message>
        <message>
            <source>Saved as %1.</source>
            <translation>Gespeichert als %1.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AugmentEditor</name>
        <message>
            <source>Random changes of training images</source>
            <translation>Zufallsänderungen der Trainingsbilder</translation>
        </message>
        <message>
            <source>Add a random change</source>
            <translation>Eine Zufallsänderung hinzufügen</translation>
        </message>
        <message>
            <source>Add a change …</source>
            <translation>Änderung hinzufügen …</translation>
        </message>
        <message>
            <source>without a type</source>
            <translation>ohne Typ</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1: %2</translation>
        </message>
        <message>
            <source>Earlier</source>
            <translation>Früher anwenden</translation>
        </message>
        <message>
            <source>Later</source>
            <translation>Später anwenden</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>None: images are trained on as they are.</source>
            <translation>Keine: Trainiert wird mit unveränderten Bildern.</translation>
        </message>
        <message>
            <source>This list is not written in brackets, so its changes are added, moved and removed in the text.</source>
            <translation>Diese Liste steht nicht in eckigen Klammern; deshalb werden ihre Änderungen im Text hinzugefügt, verschoben und entfernt.</translation>
        </message>
        <message>
            <source>adding %1</source>
            <translation>%1 hinzufügen</translation>
        </message>
        <message>
            <source>removal of a random change</source>
            <translation>Zufallsänderung entfernen</translation>
        </message>
        <message>
            <source>move of a random change</source>
            <translation>Zufallsänderung verschieben</translation>
        </message>
        <message>
            <source>change of %1 in %2</source>
            <translation>%1 in %2 ändern</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AugmentedSamples</name>
        <message>
            <source>Samples of the training data</source>
            <translation>Beispiele aus den Trainingsdaten</translation>
        </message>
        <message>
            <source>%1 samples, each with %2 augmented versions: %3</source>
            <translation>%1 Beispiele mit je %2 augmentierten Versionen: %3</translation>
        </message>
        <message>
            <source>original</source>
            <translation>Original</translation>
        </message>
        <message>
            <source>epoch %1</source>
            <translation>Epoche %1</translation>
        </message>
        <message>
            <source>%1, as epoch %2 has it</source>
            <translation>%1, wie in Epoche %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ChartCard</name>
        <message>
            <source>Log y</source>
            <translation>Log y</translation>
        </message>
        <message>
            <source>Logarithmic scale (L in the chart)</source>
            <translation>Logarithmische Skala (L im Diagramm)</translation>
        </message>
        <message>
            <source>%1: logarithmic scale</source>
            <translation>%1: logarithmische Skala</translation>
        </message>
        <message>
            <source>Show all charts</source>
            <translation>Alle Diagramme anzeigen</translation>
        </message>
        <message>
            <source>Show only this chart</source>
            <translation>Nur dieses Diagramm anzeigen</translation>
        </message>
        <message>
            <source>%1 (Esc)</source>
            <translation>%1 (Esc)</translation>
        </message>
        <message>
            <source>Mean of the newest %1 steps</source>
            <translation>Mittel der neuesten %1 Schritte</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ChartExport</name>
        <message>
            <source>&amp;Copy the picture</source>
            <translation>&amp;Bild kopieren</translation>
        </message>
        <message>
            <source>Copy the &amp;points (CSV)</source>
            <translation>&amp;Punkte kopieren (CSV)</translation>
        </message>
        <message>
            <source>&amp;Save as PNG, SVG, PDF or CSV…</source>
            <translation>Als PNG, SVG, PDF oder CSV &amp;speichern…</translation>
        </message>
        <message>
            <source>%1 cannot be painted as a picture</source>
            <translation>%1 lässt sich nicht als Bild zeichnen</translation>
        </message>
        <message>
            <source>Show it smaller, or copy its points.</source>
            <translation>Das Diagramm kleiner anzeigen oder seine Punkte kopieren.</translation>
        </message>
        <message>
            <source>Copied as a picture: %1</source>
            <translation>Als Bild kopiert: %1</translation>
        </message>
        <message>
            <source>%1 points are too many for the clipboard</source>
            <translation>%1 Punkte sind zu viele für die Zwischenablage</translation>
        </message>
        <message>
            <source>Save them as a CSV file, or show a part of the steps.</source>
            <translation>Als CSV-Datei speichern oder nur einen Teil der Schritte anzeigen.</translation>
        </message>
        <message>
            <source>Points copied: %1</source>
            <translation>Punkte kopiert: %1</translation>
        </message>
        <message>
            <source>Save the chart</source>
            <translation>Diagramm speichern</translation>
        </message>
        <message>
            <source>PNG picture (*.png)</source>
            <translation>PNG-Bild (*.png)</translation>
        </message>
        <message>
            <source>SVG drawing (*.svg)</source>
            <translation>SVG-Zeichnung (*.svg)</translation>
        </message>
        <message>
            <source>PDF document (*.pdf)</source>
            <translation>PDF-Dokument (*.pdf)</translation>
        </message>
        <message>
            <source>CSV table of the points (*.csv)</source>
            <translation>CSV-Tabelle der Punkte (*.csv)</translation>
        </message>
        <message>
            <source>Saved: %1</source>
            <translation>Gespeichert: %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ChartVerbs</name>
        <message>
            <source>There is no chart on this page.</source>
            <translation>Auf dieser Seite gibt es kein Diagramm.</translation>
        </message>
        <message>
            <source>Charts are on Live, and on Runs where runs are compared.</source>
            <translation>Diagramme gibt es auf der Seite Live und auf der Seite Läufe, wenn Läufe verglichen werden.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::CheckpointActions</name>
        <message>
            <source>Export this one …</source>
            <translation>Diesen exportieren …</translation>
        </message>
        <message>
            <source>&amp;Safetensors: the weights, by PyTorch's names …</source>
            <translation>&amp;Safetensors: die Gewichte, mit den Namen von PyTorch …</translation>
        </message>
        <message>
            <source>&amp;ONNX: the network itself …</source>
            <translation>&amp;ONNX: das Netz selbst …</translation>
        </message>
        <message>
            <source>Resume</source>
            <translation>Fortsetzen</translation>
        </message>
        <message>
            <source>Start a run from it</source>
            <translation>Lauf daraus beginnen</translation>
        </message>
        <message>
            <source>There is no %1: the checkpoint is gone, lies on another host, or in shards. Export it as safetensors, and name that file under model.initial_weights.</source>
            <translation>%1 gibt es nicht: Der Checkpoint ist weg, liegt auf einem anderen Host oder in Teilen. Exportieren Sie ihn als Safetensors und nennen Sie diese Datei unter model.initial_weights.</translation>
        </message>
        <message>
            <source>The files of the checkpoint of step %1 are gone.</source>
            <translation>Die Dateien des Checkpoints von Schritt %1 sind nicht mehr da.</translation>
        </message>
        <message>
            <source>Write the network of step %1 to a file for other programs</source>
            <translation>Das Netz von Schritt %1 für andere Programme in eine Datei schreiben</translation>
        </message>
        <message>
            <source>Go on with this run from step %1, its newest checkpoint</source>
            <translation>Diesen Lauf ab Schritt %1 fortsetzen, seinem neuesten Checkpoint</translation>
        </message>
        <message>
            <source>Open this run's job as another one that begins with the weights of step %1. Its optimiser and its steps begin anew; launch it on the Job page</source>
            <translation>Den Job dieses Laufs als weiteren öffnen, der mit den Gewichten von Schritt %1 beginnt. Optimierer und Schritte beginnen neu; gestartet wird er auf der Seite Job</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ClassBars</name>
        <message>
            <source>Accuracy of each class</source>
            <translation>Genauigkeit je Klasse</translation>
        </message>
        <message>
            <source>none</source>
            <translation>keine</translation>
        </message>
        <message>
            <source>Weakest: %1, %2</source>
            <translation>Am schwächsten: %1, %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ClusterCard</name>
        <message>
            <source>Cluster</source>
            <translation>Cluster</translation>
        </message>
        <message>
            <source>Processes of the cluster</source>
            <translation>Prozesse des Clusters</translation>
        </message>
        <message>
            <source>Add process</source>
            <translation>Prozess hinzufügen</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>Remove the chosen process; process 0, the chief, stays</source>
            <translation>Den gewählten Prozess entfernen; Prozess 0, der Chief, bleibt</translation>
        </message>
        <message>
            <source>Import …</source>
            <translation>Importieren …</translation>
        </message>
        <message>
            <source>Read the cluster from TF_CONFIG, Keras, JAX, torchrun, a hostfile, Slurm or Kubernetes</source>
            <translation>Den Cluster aus TF_CONFIG, Keras, JAX, torchrun, einem Hostfile, Slurm oder Kubernetes einlesen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ClusterTableModel</name>
        <message>
            <source>with the chief</source>
            <translation>beim Chief</translation>
        </message>
        <message>
            <source>from the launcher</source>
            <translation>vom Launcher</translation>
        </message>
        <message>
            <source>host:port; port 0 is chosen at launch</source>
            <translation>host:port; Port 0 wird beim Start gewählt</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>Prozess</translation>
        </message>
        <message>
            <source>Role</source>
            <translation>Rolle</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>Adresse</translation>
        </message>
        <message>
            <source>Replicas</source>
            <translation>Replikate</translation>
        </message>
        <message>
            <source>Problem</source>
            <translation>Problem</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ColumnsEditor</name>
        <message>
            <source>left out</source>
            <translation>weggelassen</translation>
        </message>
        <message>
            <source>number, normalised</source>
            <translation>Zahl, normalisiert</translation>
        </message>
        <message>
            <source>number as it is</source>
            <translation>Zahl, unverändert</translation>
        </message>
        <message>
            <source>category, words</source>
            <translation>Kategorie, Wörter</translation>
        </message>
        <message>
            <source>category, whole numbers</source>
            <translation>Kategorie, ganze Zahlen</translation>
        </message>
        <message>
            <source>Columns of the table</source>
            <translation>Spalten der Tabelle</translation>
        </message>
        <message>
            <source>Use all columns</source>
            <translation>Alle Spalten verwenden</translation>
        </message>
        <message>
            <source>Numbers normalised, words as categories; the target is left out</source>
            <translation>Zahlen normalisiert, Wörter als Kategorien; das Ziel wird weggelassen</translation>
        </message>
        <message>
            <source>Kind of %1</source>
            <translation>Art von %1</translation>
        </message>
        <message>
            <source>How %1 reaches the network</source>
            <translation>Wie %1 ins Netz kommt</translation>
        </message>
        <message>
            <source>A number for each category; or one column of whole numbers, which an embedding takes</source>
            <translation>Eine Zahl je Kategorie; oder eine Spalte mit ganzen Zahlen, wie sie ein Embedding erwartet</translation>
        </message>
        <message>
            <source>one-hot</source>
            <translation>One-Hot</translation>
        </message>
        <message>
            <source>whole numbers</source>
            <translation>ganze Zahlen</translation>
        </message>
        <message>
            <source>Most categories of %1</source>
            <translation>Höchstzahl der Kategorien von %1</translation>
        </message>
        <message>
            <source>How many categories at most: the most frequent ones</source>
            <translation>Wie viele Kategorien höchstens: die häufigsten</translation>
        </message>
        <message>
            <source>all</source>
            <translation>alle</translation>
        </message>
        <message>
            <source>%1, for example %2</source>
            <translation>%1, zum Beispiel %2</translation>
        </message>
        <message>
            <source>the target</source>
            <translation>das Ziel</translation>
        </message>
        <message>
            <source>The table has no such column.</source>
            <translation>Die Tabelle hat keine solche Spalte.</translation>
        </message>
        <message>
            <source>Reading the table …</source>
            <translation>Tabelle wird gelesen …</translation>
        </message>
        <message>
            <source>The table's columns are not known: %1.</source>
            <translation>Die Spalten der Tabelle sind nicht bekannt: %1.</translation>
        </message>
        <message>
            <source>Choose the table's file above: its columns are listed here.</source>
            <translation>Oben die Datei der Tabelle wählen: Dann sind ihre Spalten hier aufgeführt.</translation>
        </message>
        <message>
            <source>kind of %1</source>
            <translation>Art von %1 ändern</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>use of all columns</source>
            <translation>Alle Spalten verwenden</translation>
        </message>
        <message>
            <source>1 more column is edited in the text.</source>
            <translation>1 weitere Spalte ist im Text zu bearbeiten.</translation>
        </message>
        <message>
            <source>%1 more columns are edited in the text.</source>
            <translation>%1 weitere Spalten sind im Text zu bearbeiten.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ComparePage</name>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>Genauigkeit</translation>
        </message>
        <message>
            <source>Loss, validation</source>
            <translation>Loss, Validierung</translation>
        </message>
        <message>
            <source>Accuracy, validation</source>
            <translation>Genauigkeit, Validierung</translation>
        </message>
        <message>
            <source>Reading …</source>
            <translation>Wird gelesen …</translation>
        </message>
        <message>
            <source>The compared runs: what became of them, and what differs</source>
            <translation>Die verglichenen Läufe: was aus ihnen wurde und worin sie sich unterscheiden</translation>
        </message>
        <message>
            <source>All runs</source>
            <translation>Alle Läufe</translation>
        </message>
        <message>
            <source>Back to the list (Esc)</source>
            <translation>Zurück zur Liste (Esc)</translation>
        </message>
        <message>
            <source>Since each run's first step, without the pauses between its starts</source>
            <translation>Ab dem ersten Schritt jedes Laufs, ohne die Pausen zwischen seinen Starts</translation>
        </message>
        <message>
            <source>Show all</source>
            <translation>Alles anzeigen</translation>
        </message>
        <message>
            <source>All settings</source>
            <translation>Alle Einstellungen</translation>
        </message>
        <message>
            <source>Also those in which the jobs agree</source>
            <translation>Auch die, in denen die Jobs übereinstimmen</translation>
        </message>
        <message>
            <source>%1 runs compared</source>
            <translation>%1 Läufe im Vergleich</translation>
        </message>
        <message>
            <source>No step was reported</source>
            <translation>Es wurde kein Schritt gemeldet</translation>
        </message>
        <message>
            <source>%1, reading …</source>
            <translation>%1, werden gelesen …</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ComparedRunsModel</name>
        <message>
            <source>A click on the mark, or Space, shows or hides its curves</source>
            <translation>Ein Klick auf die Marke oder die Leertaste blendet die Kurven ein oder aus</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1: %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ConfusedPairs</name>
        <message>
            <source>Most confused classes</source>
            <translation>Am häufigsten verwechselte Klassen</translation>
        </message>
        <message>
            <source>%1 × %2 → %3%4</source>
            <translation>%1 × %2 → %3%4</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ConfusionMatrix</name>
        <message>
            <source>Confusion matrix</source>
            <translation>Konfusionsmatrix</translation>
        </message>
        <message>
            <source>%1 of %2 (%3)</source>
            <translation>%1 von %2 (%3)</translation>
        </message>
        <message>
            <source>%1 recognised: %2</source>
            <translation>%1 erkannt: %2</translation>
        </message>
        <message>
            <source>%1 taken for %2: %3</source>
            <translation>%1 für %2 gehalten: %3</translation>
        </message>
        <message>
            <source>No evaluation yet</source>
            <translation>Noch keine Auswertung</translation>
        </message>
        <message>
            <source>Point at a cell; + and the wheel with Ctrl enlarge, 0 shows all</source>
            <translation>Auf eine Zelle zeigen; + und das Mausrad mit Strg vergrößern, 0 zeigt alles</translation>
        </message>
        <message>
            <source>Point at a cell, or use the arrow keys</source>
            <translation>Auf eine Zelle zeigen oder die Pfeiltasten verwenden</translation>
        </message>
        <message>
            <source>Prediction</source>
            <translation>Vorhersage</translation>
        </message>
        <message>
            <source>Truth</source>
            <translation>Tatsächlich</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ConsentDialog</name>
        <message>
            <source>Attach to this run?</source>
            <translation>Mit diesem Lauf verbinden?</translation>
        </message>
        <message>
            <source>“%1” is not known as a run of yours. Following it</source>
            <translation>„%1“ ist nicht als Ihr Lauf bekannt. Das Verfolgen bewirkt Folgendes</translation>
        </message>
        <message>
            <source>Attach to it if it is yours, or if you trust whoever it came from.</source>
            <translation>Nur verbinden, wenn der Lauf von Ihnen stammt oder Sie seiner Herkunft vertrauen.</translation>
        </message>
        <message>
            <source>Attach</source>
            <translation>Verbinden</translation>
        </message>
        <message>
            <source>Check the hosts of this job?</source>
            <translation>Die Hosts dieses Jobs prüfen?</translation>
        </message>
        <message>
            <source>The hosts of “%1” have not been checked before. Doing so</source>
            <translation>Die Hosts von „%1“ wurden noch nicht geprüft. Das Prüfen bewirkt Folgendes</translation>
        </message>
        <message>
            <source>Check them if the file is yours, or if you trust whoever it came from.</source>
            <translation>Nur prüfen, wenn die Datei von Ihnen stammt oder Sie ihrer Herkunft vertrauen.</translation>
        </message>
        <message>
            <source>Check hosts</source>
            <translation>Hosts prüfen</translation>
        </message>
        <message>
            <source>Launch this job?</source>
            <translation>Diesen Job starten?</translation>
        </message>
        <message>
            <source>“%1” has not been launched like this before. It</source>
            <translation>„%1“ wurde so noch nicht gestartet. Das Starten bewirkt Folgendes</translation>
        </message>
        <message>
            <source>Launch it if the file is yours, or if you trust whoever it came from.</source>
            <translation>Nur starten, wenn die Datei von Ihnen stammt oder Sie ihrer Herkunft vertrauen.</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>Starten</translation>
        </message>
        <message>
            <source>What is run and reached</source>
            <translation>Was ausgeführt und erreicht wird</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DescribeRun</name>
        <message>
            <source>Mend the file, or remove it to begin anew.</source>
            <translation>Die Datei reparieren oder entfernen, um neu zu beginnen.</translation>
        </message>
        <message>
            <source>The run keeps the name, tags and note it had.</source>
            <translation>Der Lauf behält Name, Tags und Notiz wie bisher.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DesktopNotifications</name>
        <message>
            <source>Show</source>
            <translation>Anzeigen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillChoice</name>
        <message>
            <source>Not here: %1.</source>
            <translation>Hier nicht: %1.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillCourse</name>
        <message>
            <source>Not landed yet: %1 s</source>
            <translation>Noch nicht eingetreten: %1 s</translation>
        </message>
        <message>
            <source>Not detected: the run named nothing</source>
            <translation>Nicht erkannt: Der Lauf hat nichts gemeldet</translation>
        </message>
        <message>
            <source>Not detected yet: %1 s</source>
            <translation>Noch nicht erkannt: %1 s</translation>
        </message>
        <message>
            <source>Not recovered yet: %1 s</source>
            <translation>Noch nicht überwunden: %1 s</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillDesk</name>
        <message>
            <source>Make a fault on purpose, and see what becomes of it</source>
            <translation>Absichtlich eine Störung auslösen und sehen, was daraus wird</translation>
        </message>
        <message>
            <source>The run is over: a drill needs one that goes on</source>
            <translation>Der Lauf ist beendet: Eine Übung ist nur möglich, solange er läuft</translation>
        </message>
        <message>
            <source>No run is followed: launch a job, or open a run that goes on</source>
            <translation>Kein Lauf wird verfolgt: einen Job starten oder einen Lauf öffnen, der noch läuft</translation>
        </message>
        <message>
            <source>The drill goes on without its panel.</source>
            <translation>Die Übung geht ohne ihr Fenster weiter.</translation>
        </message>
        <message>
            <source>Its news are in the log; Run, Drill shows what becomes of it.</source>
            <translation>Ihre Meldungen stehen im Log; Lauf, Übung zeigt, was daraus wird.</translation>
        </message>
        <message>
            <source>Show the drill</source>
            <translation>Übung anzeigen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillPanel</name>
        <message>
            <source>%1  %2 of process %3: %4</source>
            <translation>%1  %2 in Prozess %3: %4</translation>
        </message>
        <message>
            <source>Drill</source>
            <translation>Übung</translation>
        </message>
        <message>
            <source>It really happens.</source>
            <translation>Die Störung tritt wirklich ein.</translation>
        </message>
        <message>
            <source>Fault</source>
            <translation>Störung</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>Wo</translation>
        </message>
        <message>
            <source>In which process</source>
            <translation>In welchem Prozess</translation>
        </message>
        <message>
            <source>For how many seconds</source>
            <translation>Wie viele Sekunden lang</translation>
        </message>
        <message>
            <source> s</source>
            <translation> s</translation>
        </message>
        <message>
            <source>Lasts</source>
            <translation>Dauer</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>Prozess</translation>
        </message>
        <message>
            <source>Make this fault…</source>
            <translation>Diese Störung auslösen…</translation>
        </message>
        <message>
            <source>Drills of this run</source>
            <translation>Übungen dieses Laufs</translation>
        </message>
        <message>
            <source>Drills of this run, the newest first</source>
            <translation>Übungen dieses Laufs, die neueste zuerst</translation>
        </message>
        <message>
            <source>None yet. Those of the command line, lockstepctl drill, come here, too.</source>
            <translation>Noch keine. Auch die der Befehlszeile, lockstepctl drill, erscheinen hier.</translation>
        </message>
        <message>
            <source>Make this fault?</source>
            <translation>Diese Störung auslösen?</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Make the fault</source>
            <translation>Störung auslösen</translation>
        </message>
        <message>
            <source>%1 (%2) on %3</source>
            <translation>%1 (%2) auf %3</translation>
        </message>
        <message>
            <source>until the run ends it</source>
            <translation>bis der Lauf sie beendet</translation>
        </message>
        <message>
            <source>no run is followed</source>
            <translation>kein Lauf wird verfolgt</translation>
        </message>
        <message>
            <source>the run is not reached (%1)</source>
            <translation>der Lauf ist nicht erreichbar (%1)</translation>
        </message>
        <message>
            <source>the run is asked for a drill</source>
            <translation>die Übung ist beim Lauf angefragt</translation>
        </message>
        <message>
            <source>Not now: %1.</source>
            <translation>Zurzeit nicht: %1.</translation>
        </message>
        <message>
            <source>The run is asked for it …</source>
            <translation>Die Übung wird beim Lauf angefragt …</translation>
        </message>
        <message>
            <source>No drill was done: %1.</source>
            <translation>Keine Übung ausgeführt: %1.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluationDetails</name>
        <message>
            <source>Loss %1</source>
            <translation>Loss %1</translation>
        </message>
        <message>
            <source>Confusion</source>
            <translation>Konfusion</translation>
        </message>
        <message>
            <source>Accuracy by class</source>
            <translation>Genauigkeit nach Klasse</translation>
        </message>
        <message>
            <source>Most confused</source>
            <translation>Am häufigsten verwechselt</translation>
        </message>
        <message>
            <source>truth → prediction</source>
            <translation>tatsächlich → vorhergesagt</translation>
        </message>
        <message>
            <source>Samples</source>
            <translation>Beispiele</translation>
        </message>
        <message>
            <source>All classes</source>
            <translation>Alle Klassen</translation>
        </message>
        <message>
            <source>Show the samples of all cells again</source>
            <translation>Wieder die Beispiele aller Zellen anzeigen</translation>
        </message>
        <message>
            <source>Predictions</source>
            <translation>Vorhersagen</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>Text</translation>
        </message>
        <message>
            <source>Show the confusion matrix again</source>
            <translation>Wieder die Konfusionsmatrix anzeigen</translation>
        </message>
        <message>
            <source>Show all samples</source>
            <translation>Alle Beispiele anzeigen</translation>
        </message>
        <message>
            <source>One sample lies in a cell that the evaluator left out, the emptiest one</source>
            <translation>Ein Beispiel liegt in einer Zelle, die der Evaluator weggelassen hat, der am schwächsten besetzten</translation>
        </message>
        <message>
            <source>%1 samples lie in cells that the evaluator left out, the emptiest ones</source>
            <translation>%1 Beispiele liegen in Zellen, die der Evaluator weggelassen hat, den am schwächsten besetzten</translation>
        </message>
        <message>
            <source>The weakest of %1 classes</source>
            <translation>Die schwächsten von %1 Klassen</translation>
        </message>
        <message>
            <source>This checkpoint was not scored: %1</source>
            <translation>Dieser Checkpoint wurde nicht bewertet: %1</translation>
        </message>
        <message>
            <source>No samples were kept</source>
            <translation>Es wurden keine Beispiele aufbewahrt</translation>
        </message>
        <message>
            <source>%1 recognised</source>
            <translation>%1 erkannt</translation>
        </message>
        <message>
            <source>%1 taken for %2</source>
            <translation>%1 für %2 gehalten</translation>
        </message>
        <message>
            <source>%1, the hardest first</source>
            <translation>%1, die schwierigsten zuerst</translation>
        </message>
        <message>
            <source>the hardest first, %1 of them wrong</source>
            <translation>die schwierigsten zuerst, %1 davon falsch</translation>
        </message>
        <message>
            <source>%1 of %2, most of them the hardest</source>
            <translation>%1 von %2, meist die schwierigsten</translation>
        </message>
        <message>
            <source>All %2</source>
            <translation>Alle %2</translation>
        </message>
        <message>
            <source>%1: %2 wrong here, %3 in all</source>
            <translation>%1: %2 hier falsch, %3 insgesamt</translation>
        </message>
        <message>
            <source>%1: %2 of %3 are among the %4 that were kept</source>
            <translation>%1: %2 von %3 sind unter den %4 aufbewahrten</translation>
        </message>
        <message>
            <source>None of the samples that were kept lies here. The evaluator keeps the hardest ones and some of the others.</source>
            <translation>Keines der aufbewahrten Beispiele liegt hier. Der Evaluator bewahrt die schwierigsten auf und einige der anderen.</translation>
        </message>
        <message>
            <source>All of class %1</source>
            <translation>Alle der Klasse %1</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1, %2</translation>
        </message>
        <message>
            <source>%1, the hardest first, %2 of them wrong</source>
            <translation>%1, die schwierigsten zuerst, %2 davon falsch</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluationModel</name>
        <message>
            <source>validation loss</source>
            <translation>Validierungs-Loss</translation>
        </message>
        <message>
            <source>validation accuracy</source>
            <translation>Validierungsgenauigkeit</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%2 (%1)</translation>
        </message>
        <message>
            <source>%1 of %2 checkpoint scored</source>
            <translation>%1 von %2 Checkpoint bewertet</translation>
        </message>
        <message>
            <source>%1 of %2 checkpoints scored</source>
            <translation>%1 von %2 Checkpoints bewertet</translation>
        </message>
        <message>
            <source>not scored</source>
            <translation>nicht bewertet</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>Genauigkeit</translation>
        </message>
        <message>
            <source>Score</source>
            <translation>Bewertung</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>Schritt</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>Daten</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Took</source>
            <translation>Dauer</translation>
        </message>
        <message>
            <source>best</source>
            <translation>bester</translation>
        </message>
        <message>
            <source>kept</source>
            <translation>behalten</translation>
        </message>
        <message>
            <source>deleted</source>
            <translation>gelöscht</translation>
        </message>
        <message>
            <source>The checkpoint's files are gone: checkpoint.keep says how many of the newest stay, checkpoint.keep_best keeps the best at an epoch's end, too.</source>
            <translation>Die Dateien des Checkpoints sind nicht mehr da: checkpoint.keep sagt, wie viele der neuesten bleiben; checkpoint.keep_best behält auch den besten am Ende einer Epoche.</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>Checkpoint</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluatorDesk</name>
        <message>
            <source>Scores</source>
            <translation>Bewertungen</translation>
        </message>
        <message>
            <source>Predict</source>
            <translation>Vorhersagen</translation>
        </message>
        <message>
            <source>What the page shows</source>
            <translation>Was die Seite zeigt</translation>
        </message>
        <message>
            <source>Newest</source>
            <translation>Neuester</translation>
        </message>
        <message>
            <source>Best</source>
            <translation>Bester</translation>
        </message>
        <message>
            <source>Which checkpoint is asked and exported</source>
            <translation>Welcher Checkpoint befragt und exportiert wird</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>Checkpoint</translation>
        </message>
        <message>
            <source>Write the checkpoint's network to a file for other programs</source>
            <translation>Das Netz des Checkpoints in eine Datei für andere Programme schreiben</translation>
        </message>
        <message>
            <source>&amp;Safetensors: the weights, by PyTorch's names …</source>
            <translation>&amp;Safetensors: die Gewichte, mit den Namen von PyTorch …</translation>
        </message>
        <message>
            <source>&amp;ONNX: the network itself …</source>
            <translation>&amp;ONNX: das Netz selbst …</translation>
        </message>
        <message>
            <source>Export the network</source>
            <translation>Netz exportieren</translation>
        </message>
        <message>
            <source>ONNX (*.onnx)</source>
            <translation>ONNX (*.onnx)</translation>
        </message>
        <message>
            <source>Safetensors (*.safetensors)</source>
            <translation>Safetensors (*.safetensors)</translation>
        </message>
        <message>
            <source>Exporting …</source>
            <translation>Wird exportiert …</translation>
        </message>
        <message>
            <source>Export …</source>
            <translation>Exportieren …</translation>
        </message>
        <message>
            <source>The network of step %1 was written to %2 (%3).</source>
            <translation>Das Netz von Schritt %1 wurde in %2 geschrieben (%3).</translation>
        </message>
        <message>
            <source>Show in folder</source>
            <translation>Im Ordner anzeigen</translation>
        </message>
        <message>
            <source>You see the run as it was. Go back to now (End) to ask its network, or to export it</source>
            <translation>Der Lauf ist zu sehen, wie er war. Zurück zum Jetzt (Ende), um sein Netz zu befragen oder zu exportieren</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluatorPage</name>
        <message>
            <source>Show</source>
            <translation>Anzeigen</translation>
        </message>
        <message>
            <source>Show: %1</source>
            <translation>Anzeigen: %1</translation>
        </message>
        <message>
            <source>Latest checkpoint</source>
            <translation>Neuester Checkpoint</translation>
        </message>
        <message>
            <source>Best checkpoint</source>
            <translation>Bester Checkpoint</translation>
        </message>
        <message>
            <source>Score</source>
            <translation>Bewertung</translation>
        </message>
        <message>
            <source>Show all scores</source>
            <translation>Alle Bewertungen anzeigen</translation>
        </message>
        <message>
            <source>Show all scores again and grow with them (0)</source>
            <translation>Wieder alle Bewertungen anzeigen und mit ihnen wachsen (0)</translation>
        </message>
        <message>
            <source>Evaluations</source>
            <translation>Auswertungen</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>Validierung</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>Test</translation>
        </message>
        <message>
            <source>No checkpoint was scored yet</source>
            <translation>Noch kein Checkpoint bewertet</translation>
        </message>
        <message>
            <source>The evaluator is a process of its own: it scores every checkpoint as it appears, while training goes on. Its first score comes with the first checkpoint.</source>
            <translation>Der Evaluator ist ein eigener Prozess: Er bewertet jeden Checkpoint, sobald er erscheint, während das Training weiterläuft. Die erste Bewertung kommt mit dem ersten Checkpoint.</translation>
        </message>
        <message>
            <source> lockstepctl evaluate scores what a run has come to at any time; opened again, an ended run shows those scores here.</source>
            <translation> lockstepctl evaluate bewertet jederzeit, was ein Lauf erreicht hat; wird ein beendeter Lauf erneut geöffnet, stehen diese Bewertungen hier.</translation>
        </message>
        <message>
            <source>No checkpoint was scored</source>
            <translation>Kein Checkpoint wurde bewertet</translation>
        </message>
        <message>
            <source>This job has no evaluator</source>
            <translation>Dieser Job hat keinen Evaluator</translation>
        </message>
        <message>
            <source>With cluster.evaluator = true a process of its own scores every checkpoint as it appears, while training goes on.</source>
            <translation>Mit cluster.evaluator = true bewertet ein eigener Prozess jeden Checkpoint, sobald er erscheint, während das Training weiterläuft.</translation>
        </message>
        <message>
            <source>The run ended before it wrote a checkpoint.</source>
            <translation>Der Lauf endete, bevor er einen Checkpoint geschrieben hat.</translation>
        </message>
        <message>
            <source>None of the run's checkpoints could be written.</source>
            <translation>Keiner der Checkpoints des Laufs konnte geschrieben werden.</translation>
        </message>
        <message>
            <source>The run ended before its evaluator had scored one.</source>
            <translation>Der Lauf endete, bevor sein Evaluator einen bewertet hat.</translation>
        </message>
        <message>
            <source>The weights that the run ended with have a test %1. </source>
            <translation>Testergebnis mit den Gewichten vom Ende des Laufs: %1. </translation>
        </message>
        <message>
            <source>The files of the best checkpoint, of step %1, are gone. checkpoint.keep keeps the newest %2.</source>
            <translation>Die Dateien des besten Checkpoints, von Schritt %1, sind nicht mehr da. checkpoint.keep behält die neuesten %2.</translation>
        </message>
        <message>
            <source> checkpoint.keep_best keeps the best at an epoch's end too.</source>
            <translation> checkpoint.keep_best behält auch den besten am Ende einer Epoche.</translation>
        </message>
        <message>
            <source> checkpoint.keep_best = true keeps the best of the epochs' ends too.</source>
            <translation> checkpoint.keep_best = true behält auch den besten am Ende einer Epoche.</translation>
        </message>
        <message>
            <source>the best checkpoint</source>
            <translation>der beste Checkpoint</translation>
        </message>
        <message>
            <source>the one that is shown</source>
            <translation>der angezeigte</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>Schritt %1</translation>
        </message>
        <message>
            <source>loss, %1</source>
            <translation>Loss, %1</translation>
        </message>
        <message>
            <source>Latest, %1</source>
            <translation>Neuester, %1</translation>
        </message>
        <message>
            <source>Best %1</source>
            <translation>Bester nach %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::FigureShelf</name>
        <message>
            <source>Too slow: there are too many ways to read a name so</source>
            <translation>Zu langsam: Ein Name lässt sich auf zu viele Arten so lesen</translation>
        </message>
        <message>
            <source>Search the named figures</source>
            <translation>Benannte Kennzahlen durchsuchen</translation>
        </message>
        <message>
            <source>Search: a regular expression</source>
            <translation>Suche: ein regulärer Ausdruck</translation>
        </message>
        <message>
            <source>Part of a name, or a regular expression such as loss|norm (Ctrl+F)</source>
            <translation>Teil eines Namens oder ein regulärer Ausdruck wie loss|norm (Strg+F)</translation>
        </message>
        <message>
            <source>Show hidden figures again, or all as they came</source>
            <translation>Ausgeblendete Kennzahlen wieder anzeigen oder alle in ursprünglicher Reihenfolge</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>Anheften</translation>
        </message>
        <message>
            <source>Before all others (P)</source>
            <translation>Vor allen anderen (P)</translation>
        </message>
        <message>
            <source>%1: before all others</source>
            <translation>%1: vor allen anderen</translation>
        </message>
        <message>
            <source>Not a regular expression: %1, at character %2</source>
            <translation>Kein regulärer Ausdruck: %1, bei Zeichen %2</translation>
        </message>
        <message>
            <source>Hidden: %1</source>
            <translation>Ausgeblendet: %1</translation>
        </message>
        <message>
            <source>Arrangement</source>
            <translation>Anordnung</translation>
        </message>
        <message>
            <source>Found: %1 of %2</source>
            <translation>Gefunden: %1 von %2</translation>
        </message>
        <message>
            <source>No figure is called so</source>
            <translation>Keine Kennzahl heißt so</translation>
        </message>
        <message>
            <source>Show %1</source>
            <translation>%1 anzeigen</translation>
        </message>
        <message>
            <source>All, as they came</source>
            <translation>Alle in ursprünglicher Reihenfolge</translation>
        </message>
        <message>
            <source>No longer before all others</source>
            <translation>Nicht mehr vor allen anderen</translation>
        </message>
        <message>
            <source>Before all others</source>
            <translation>Vor allen anderen</translation>
        </message>
        <message>
            <source>Hide</source>
            <translation>Ausblenden</translation>
        </message>
        <message>
            <source>Move earlier</source>
            <translation>Weiter nach vorn</translation>
        </message>
        <message>
            <source>Move later</source>
            <translation>Weiter nach hinten</translation>
        </message>
        <message>
            <source>The figures before these</source>
            <translation>Die Kennzahlen vor diesen</translation>
        </message>
        <message>
            <source>The figures behind these</source>
            <translation>Die Kennzahlen hinter diesen</translation>
        </message>
        <message>
            <source>Found: %1 of %2, here %3 to %4</source>
            <translation>Gefunden: %1 von %2, hier %3 bis %4</translation>
        </message>
        <message>
            <source>%1 to %2 of %3 figures; search to see others</source>
            <translation>%1 bis %2 von %3 Kennzahlen; die Suche zeigt andere</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::FileDrop</name>
        <message>
            <source>Browse …</source>
            <translation>Durchsuchen …</translation>
        </message>
        <message>
            <source>What to ask about</source>
            <translation>Dateien für die Abfrage wählen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::FindBar</name>
        <message>
            <source>Find in the lines (Ctrl+F)</source>
            <translation>In den Zeilen suchen (Strg+F)</translation>
        </message>
        <message>
            <source>Find text in the lines</source>
            <translation>Text in den Zeilen suchen</translation>
        </message>
        <message>
            <source>Line or time (Ctrl+G)</source>
            <translation>Zeile oder Zeit (Strg+G)</translation>
        </message>
        <message>
            <source>Go to a line or a time</source>
            <translation>Zu einer Zeile oder Zeit gehen</translation>
        </message>
        <message>
            <source>A line's number, such as 12000, or a time, such as 14:05:12</source>
            <translation>Die Nummer einer Zeile, etwa 12000, oder eine Zeit, etwa 14:05:12</translation>
        </message>
        <message>
            <source>The one before (Shift+F3, or Shift+Enter in the field)</source>
            <translation>Der vorige Treffer (Umschalt+F3, oder Umschalt+Eingabetaste im Feld)</translation>
        </message>
        <message>
            <source>The next one (F3, or Enter in the field)</source>
            <translation>Der nächste Treffer (F3, oder Eingabetaste im Feld)</translation>
        </message>
        <message>
            <source>Search no further (Esc)</source>
            <translation>Nicht weiter suchen (Esc)</translation>
        </message>
        <message>
            <source>%1. What was found before stays marked.</source>
            <translation>%1. Was vorher gefunden wurde, bleibt markiert.</translation>
        </message>
        <message>
            <source>Searching</source>
            <translation>Suche läuft</translation>
        </message>
        <message>
            <source>No line has it</source>
            <translation>In keiner Zeile</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>1 line</source>
            <translation>1 Zeile</translation>
        </message>
        <message>
            <source>%1 lines</source>
            <translation>%1 Zeilen</translation>
        </message>
        <message>
            <source>%1, %2 searched</source>
            <translation>%1, %2 durchsucht</translation>
        </message>
        <message>
            <source>%1, stopped at %2</source>
            <translation>%1, bei %2 angehalten</translation>
        </message>
        <message>
            <source>No line is finished yet.</source>
            <translation>Noch keine Zeile ist abgeschlossen.</translation>
        </message>
        <message>
            <source>There is one line. This is it.</source>
            <translation>Es gibt eine Zeile. Das ist sie.</translation>
        </message>
        <message>
            <source>There are %1 lines. This is the last one.</source>
            <translation>Es gibt %1 Zeilen. Dies ist die letzte.</translation>
        </message>
        <message>
            <source>“%1” is neither a line's number, such as 12000, nor a time, such as 14:05:12.</source>
            <translation>„%1“ ist weder die Nummer einer Zeile, etwa 12000, noch eine Zeit, etwa 14:05:12.</translation>
        </message>
        <message>
            <source>No line is as late as that. This is the last one.</source>
            <translation>So spät ist keine Zeile. Dies ist die letzte.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::GraphLegend</name>
        <message>
            <source>Sizes</source>
            <translation>Größen</translation>
        </message>
        <message>
            <source>Operations</source>
            <translation>Operationen</translation>
        </message>
        <message>
            <source>Time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>What the picture shows of each layer</source>
            <translation>Was das Bild zu jeder Schicht zeigt</translation>
        </message>
        <message>
            <source>Where the time goes: sizes, the share of a step's operations, or the share of its time, measured on this machine</source>
            <translation>Wo die Zeit bleibt: Größen, der Anteil an den Operationen eines Schritts oder der Anteil an seiner Zeit, auf diesem Rechner gemessen</translation>
        </message>
        <message>
            <source>memory of the output</source>
            <translation>Speicher der Ausgabe</translation>
        </message>
        <message>
            <source>operations</source>
            <translation>Operationen</translation>
        </message>
        <message>
            <source>share of all</source>
            <translation>Anteil am Ganzen</translation>
        </message>
        <message>
            <source>Nothing can be measured here.</source>
            <translation>Hier lässt sich nichts messen.</translation>
        </message>
        <message>
            <source>Measuring steps of %1 samples on this machine …</source>
            <translation>Schritte mit %1 Beispielen werden auf diesem Rechner gemessen …</translation>
        </message>
        <message>
            <source>%1 a step of %2 samples, forward and backward, on this machine's processor.</source>
            <translation>%1 je Schritt mit %2 Beispielen, vorwärts und rückwärts, auf dem Prozessor dieses Rechners.</translation>
        </message>
        <message>
            <source>ms a step</source>
            <translation>ms je Schritt</translation>
        </message>
        <message>
            <source>The network has changed: choose Time to measure it as it is now.</source>
            <translation>Das Netz hat sich geändert: „Zeit“ wählen, um seinen jetzigen Stand zu messen.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::GraphView</name>
        <message>
            <source>Picture of the network</source>
            <translation>Bild des Netzes</translation>
        </message>
        <message>
            <source>The network is drawn here as soon as it is one.</source>
            <translation>Hier wird das Netz gezeichnet, sobald der Text eines ergibt.</translation>
        </message>
        <message>
            <source>gives %1</source>
            <translation>ergibt %1</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 Schichten</translation>
        </message>
        <message>
            <source>%1 parameters</source>
            <translation>%1 Parameter</translation>
        </message>
        <message>
            <source>%1 a sample</source>
            <translation>%1 je Beispiel</translation>
        </message>
        <message>
            <source>%1FLOP a sample</source>
            <translation>%1FLOP je Beispiel</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>%1 of all</source>
            <translation>%1 vom Ganzen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HeaderBar</name>
        <message>
            <source>Slow</source>
            <translation>Langsam</translation>
        </message>
        <message>
            <source>Replica lost</source>
            <translation>Replikat verloren</translation>
        </message>
        <message>
            <source>Stuck</source>
            <translation>Hängt</translation>
        </message>
        <message>
            <source>Silent</source>
            <translation>Kein Lebenszeichen</translation>
        </message>
        <message>
            <source>Opening</source>
            <translation>Wird geöffnet</translation>
        </message>
        <message>
            <source>No job</source>
            <translation>Kein Job</translation>
        </message>
        <message>
            <source>Has problems</source>
            <translation>Hat Probleme</translation>
        </message>
        <message>
            <source>Hosts not ready</source>
            <translation>Hosts nicht bereit</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>Bereit</translation>
        </message>
        <message>
            <source>a replica is silent</source>
            <translation>ein Replikat ist ohne Lebenszeichen</translation>
        </message>
        <message>
            <source>a replica makes the others wait</source>
            <translation>ein Replikat lässt die anderen warten</translation>
        </message>
        <message>
            <source>a replica needs attention</source>
            <translation>ein Replikat braucht Aufmerksamkeit</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>Schritt %1</translation>
        </message>
        <message>
            <source>Epoch %1 of %2</source>
            <translation>Epoche %1 von %2</translation>
        </message>
        <message>
            <source>step %1 of %2</source>
            <translation>Schritt %1 von %2</translation>
        </message>
        <message>
            <source>took %1</source>
            <translation>Dauer %1</translation>
        </message>
        <message>
            <source>%1 left</source>
            <translation>noch %1</translation>
        </message>
        <message>
            <source>Lockstep</source>
            <translation>Lockstep</translation>
        </message>
        <message>
            <source>Progress of the run</source>
            <translation>Fortschritt des Laufs</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HeartbeatChart</name>
        <message>
            <source>Older ones: drag the slider below</source>
            <translation>Ältere: am Schieberegler unten</translation>
        </message>
        <message>
            <source>Heartbeats</source>
            <translation>Heartbeats</translation>
        </message>
        <message>
            <source>%1 was lost: %2</source>
            <translation>%1 ging verloren: %2</translation>
        </message>
        <message>
            <source>the run was started again at %1</source>
            <translation>der Lauf wurde um %1 neu gestartet</translation>
        </message>
        <message>
            <source>%1: silent for %2</source>
            <translation>%1: %2 ohne Lebenszeichen</translation>
        </message>
        <message>
            <source>%1 at %2: %3</source>
            <translation>%1 um %2: %3</translation>
        </message>
        <message>
            <source>No process yet</source>
            <translation>Noch kein Prozess</translation>
        </message>
        <message>
            <source>end</source>
            <translation>Ende</translation>
        </message>
        <message>
            <source>now</source>
            <translation>jetzt</translation>
        </message>
        <message>
            <source>The run had ended before the first heartbeat</source>
            <translation>Der Lauf war vor dem ersten Heartbeat zu Ende</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HistoryPanel</name>
        <message>
            <source>Compute what the checkpoints whose files are there say of this sample and of those shown beside it</source>
            <translation>Berechnen, was die Checkpoints, deren Dateien da sind, zu diesem Beispiel und den daneben gezeigten sagen</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Close the sample's course</source>
            <translation>Verlauf des Beispiels schließen</translation>
        </message>
        <message>
            <source>Close the sample's course (Esc)</source>
            <translation>Verlauf des Beispiels schließen (Esc)</translation>
        </message>
        <message>
            <source>The newest %1 of them are asked at a time.</source>
            <translation>Davon werden jeweils die neuesten %1 befragt.</translation>
        </message>
        <message>
            <source>What the checkpoints say of it is not known.</source>
            <translation>Was die Checkpoints dazu sagen, ist nicht bekannt.</translation>
        </message>
        <message>
            <source>Sample %1 of class %2. %3</source>
            <translation>Beispiel %1 der Klasse %2. %3</translation>
        </message>
        <message>
            <source>Asked %1 of %2</source>
            <translation>%1 von %2 befragt</translation>
        </message>
        <message>
            <source>Reading … %1 of %2</source>
            <translation>Lesen … %1 von %2</translation>
        </message>
        <message>
            <source>Ask 1 checkpoint</source>
            <translation>1 Checkpoint befragen</translation>
        </message>
        <message>
            <source>Ask %1 checkpoints</source>
            <translation>%1 Checkpoints befragen</translation>
        </message>
        <message>
            <source>The checkpoint of step %1 was not scored, so there is no evaluation of it to be opened.</source>
            <translation>Der Checkpoint von Schritt %1 wurde nicht bewertet, es gibt also keine Auswertung zu öffnen.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HomePage</name>
        <message>
            <source>start not known</source>
            <translation>Start nicht bekannt</translation>
        </message>
        <message>
            <source>started today, %1</source>
            <translation>gestartet heute, %1</translation>
        </message>
        <message>
            <source>started %1</source>
            <translation>gestartet %1</translation>
        </message>
        <message>
            <source>took %1</source>
            <translation>Dauer %1</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <comment>name and value of a metric</comment>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>Schritt %1</translation>
        </message>
        <message>
            <source>, %1 left</source>
            <translation>, noch %1</translation>
        </message>
        <message>
            <source>Last runs</source>
            <translation>Letzte Läufe</translation>
        </message>
        <message>
            <source>All runs</source>
            <translation>Alle Läufe</translation>
        </message>
        <message>
            <source>What you launch is listed here: how it ended, and what it reached.</source>
            <translation>Gestartete Läufe stehen hier: wie sie endeten und was sie erreichten.</translation>
        </message>
        <message>
            <source>Recent jobs</source>
            <translation>Zuletzt geöffnete Jobs</translation>
        </message>
        <message>
            <source>Running now</source>
            <translation>Läuft gerade</translation>
        </message>
        <message>
            <source>New job</source>
            <translation>Neuer Job</translation>
        </message>
        <message>
            <source>Copies, to be changed and saved</source>
            <translation>Kopien, zum Ändern und Speichern</translation>
        </message>
        <message>
            <source>Images: handwritten digits</source>
            <translation>Bilder: handgeschriebene Ziffern</translation>
        </message>
        <message>
            <source>Two replicas on this machine, nothing to download</source>
            <translation>Zwei Replikate auf diesem Rechner, nichts herunterzuladen</translation>
        </message>
        <message>
            <source>A table: what houses cost</source>
            <translation>Eine Tabelle: was Häuser kosten</translation>
        </message>
        <message>
            <source>A regression on 3 000 rows; put in a CSV file of your own</source>
            <translation>Eine Regression mit 3 000 Zeilen; eine eigene CSV-Datei einsetzen</translation>
        </message>
        <message>
            <source>A text: a tiny GPT that writes plays</source>
            <translation>Ein Text: ein winziges GPT, das Theaterstücke schreibt</translation>
        </message>
        <message>
            <source>Character by character; put in a text of your own</source>
            <translation>Zeichen für Zeichen; einen eigenen Text einsetzen</translation>
        </message>
        <message>
            <source>A program of your own</source>
            <translation>Ein eigenes Programm</translation>
        </message>
        <message>
            <source>Started as every process of a job; here one of 40 lines in Python</source>
            <translation>Als jeder Prozess eines Jobs gestartet; hier eines mit 40 Zeilen Python</translation>
        </message>
        <message>
            <source>Several hosts, over ssh</source>
            <translation>Mehrere Hosts, über ssh</translation>
        </message>
        <message>
            <source>Put in the names of your hosts; nothing is installed there</source>
            <translation>Die Namen der eigenen Hosts einsetzen; dort wird nichts installiert</translation>
        </message>
        <message>
            <source>On a Slurm cluster</source>
            <translation>Auf einem Slurm-Cluster</translation>
        </message>
        <message>
            <source>Put in your partition; submitted from this machine</source>
            <translation>Die eigene Partition einsetzen; abgeschickt von diesem Rechner</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>A job file…</source>
            <translation>Eine Jobdatei…</translation>
        </message>
        <message>
            <source>The cluster, the data, the model and the training plan; or drop it here</source>
            <translation>Cluster, Daten, Modell und Trainingsplan; die Datei lässt sich auch hierher ziehen</translation>
        </message>
        <message>
            <source>A run folder…</source>
            <translation>Ein Laufordner…</translation>
        </message>
        <message>
            <source>Followed where it runs, replayed where it has ended</source>
            <translation>Verfolgt, wenn der Lauf noch läuft, abgespielt, wenn er beendet ist</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>Verfolgen</translation>
        </message>
        <message>
            <source>Images in folders of your own</source>
            <translation>Bilder in eigenen Ordnern</translation>
        </message>
        <message>
            <source>A folder a class; choose the folder that holds them</source>
            <translation>Ein Ordner je Klasse; den Ordner wählen, der sie enthält</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostCheckCard</name>
        <message>
            <source>Hosts</source>
            <translation>Hosts</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Check again</source>
            <translation>Erneut prüfen</translation>
        </message>
        <message>
            <source>Examine every host of the job; nothing of it is started</source>
            <translation>Jeden Host des Jobs untersuchen; vom Job selbst wird nichts gestartet</translation>
        </message>
        <message>
            <source>Checks of the job's hosts</source>
            <translation>Prüfungen der Hosts des Jobs</translation>
        </message>
        <message>
            <source>%1 on %2</source>
            <translation>%1 auf %2</translation>
        </message>
        <message>
            <source>Starting …</source>
            <translation>Wird gestartet …</translation>
        </message>
        <message>
            <source>Before anything trains, every host can be looked at: ssh, the network between all of them, clocks, disks, data, memory, GPUs and what earlier runs have left.</source>
            <translation>Bevor das Training beginnt, lässt sich jeder Host untersuchen: ssh, das Netzwerk zwischen allen Hosts, Uhren, Platten, Daten, Speicher, GPUs und was frühere Läufe hinterlassen haben.</translation>
        </message>
        <message>
            <source>%1 The job has changed since: check again.</source>
            <translation>%1 Der Job hat sich seitdem geändert: erneut prüfen.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostCheckDetails</name>
        <message>
            <source>Sets %1 to %2 in the job file; Undo takes it back</source>
            <translation>Setzt %1 in der Jobdatei auf %2; lässt sich rückgängig machen</translation>
        </message>
        <message>
            <source>Command that helps</source>
            <translation>Befehl, der hilft</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <source>Copy the command</source>
            <translation>Befehl kopieren</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostCheckModel</name>
        <message>
            <source>Host</source>
            <translation>Host</translation>
        </message>
        <message>
            <source>Host %1, %2</source>
            <translation>Host %1, %2</translation>
        </message>
        <message>
            <source>%1 of %2: %3, %4</source>
            <translation>%1 von %2: %3, %4</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>wartet</translation>
        </message>
        <message>
            <source>being examined</source>
            <translation>wird untersucht</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>nicht bekannt</translation>
        </message>
        <message>
            <source>not asked</source>
            <translation>entfällt</translation>
        </message>
        <message>
            <source>ok</source>
            <translation>ok</translation>
        </message>
        <message>
            <source>note</source>
            <translation>Hinweis</translation>
        </message>
        <message>
            <source>warning</source>
            <translation>Warnung</translation>
        </message>
        <message>
            <source>fails</source>
            <translation>Fehler</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostQuestionDialog</name>
        <message>
            <source>A host asks</source>
            <translation>Ein Host fragt</translation>
        </message>
        <message>
            <source>Trust %1?</source>
            <translation>%1 vertrauen?</translation>
        </message>
        <message>
            <source>This host is not known yet. Whoever answers at its address shows this key; compare the fingerprint with that of the host before you trust it.</source>
            <translation>Dieser Host ist noch nicht bekannt. Wer unter seiner Adresse antwortet, zeigt diesen Schlüssel; vergleichen Sie den Fingerabdruck mit dem des Hosts, bevor Sie ihm vertrauen.</translation>
        </message>
        <message>
            <source>Trust this key</source>
            <translation>Diesem Schlüssel vertrauen</translation>
        </message>
        <message>
            <source>Do not connect</source>
            <translation>Nicht verbinden</translation>
        </message>
        <message>
            <source>Unlock your key</source>
            <translation>Schlüssel entsperren</translation>
        </message>
        <message>
            <source>The key %1 opens %2. Its passphrase is kept in memory only, until this window closes.</source>
            <translation>Der Schlüssel %1 öffnet %2. Seine Passphrase bleibt nur im Speicher, bis dieses Fenster geschlossen wird.</translation>
        </message>
        <message>
            <source>Passphrase</source>
            <translation>Passphrase</translation>
        </message>
        <message>
            <source>Unlock</source>
            <translation>Entsperren</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Log in to %1</source>
            <translation>Bei %1 anmelden</translation>
        </message>
        <message>
            <source>The host asks for a password or a code. It is kept in memory only, until this window closes.</source>
            <translation>Der Host fragt nach einem Passwort oder einem Code. Die Antwort bleibt nur im Speicher, bis dieses Fenster geschlossen wird.</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>Antwort</translation>
        </message>
        <message>
            <source>Log in</source>
            <translation>Anmelden</translation>
        </message>
        <message>
            <source>Connect to %1?</source>
            <translation>Mit %1 verbinden?</translation>
        </message>
        <message>
            <source>ssh asks for your consent.</source>
            <translation>ssh bittet um Ihre Zustimmung.</translation>
        </message>
        <message>
            <source>Yes</source>
            <translation>Ja</translation>
        </message>
        <message>
            <source>No</source>
            <translation>Nein</translation>
        </message>
        <message>
            <source>Connecting to %1</source>
            <translation>Verbindung mit %1</translation>
        </message>
        <message>
            <source>ssh waits for something that only you can do.</source>
            <translation>ssh wartet auf etwas, das nur Sie tun können.</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>Schlüssel</translation>
        </message>
        <message>
            <source>Fingerprint</source>
            <translation>Fingerabdruck</translation>
        </message>
        <message>
            <source>Compare with</source>
            <translation>Vergleichen mit</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostTable</name>
        <message>
            <source>No host is named yet. “Add host” takes a name of your ssh settings, user@host, or an address; process 0 runs on the first.</source>
            <translation>Noch ist kein Host genannt. „Host hinzufügen“ nimmt einen Namen Ihrer ssh-Einstellungen, benutzer@host oder eine Adresse; Prozess 0 läuft auf dem ersten.</translation>
        </message>
        <message>
            <source>Hosts of the job</source>
            <translation>Hosts des Jobs</translation>
        </message>
        <message>
            <source>Insert adds a host, Delete removes one, Alt with an arrow moves it</source>
            <translation>Einfg fügt einen Host hinzu, Entf entfernt einen, Alt mit einem Pfeil verschiebt ihn</translation>
        </message>
        <message>
            <source>Move the host up</source>
            <translation>Host nach oben</translation>
        </message>
        <message>
            <source>Move the host down</source>
            <translation>Host nach unten</translation>
        </message>
        <message>
            <source>Move the chosen host up (Alt+Up)</source>
            <translation>Den gewählten Host nach oben (Alt+Auf)</translation>
        </message>
        <message>
            <source>Move the chosen host down (Alt+Down)</source>
            <translation>Den gewählten Host nach unten (Alt+Ab)</translation>
        </message>
        <message>
            <source>Add host</source>
            <translation>Host hinzufügen</translation>
        </message>
        <message>
            <source>Name a further host that trains (Insert)</source>
            <translation>Einen weiteren Host nennen, der trainiert (Einfg)</translation>
        </message>
        <message>
            <source>Add spare</source>
            <translation>Ersatz hinzufügen</translation>
        </message>
        <message>
            <source>Name a host that takes the place of one that is lost</source>
            <translation>Einen Host nennen, der einen verlorenen ersetzt</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>Remove the chosen row (Delete)</source>
            <translation>Die gewählte Zeile entfernen (Entf)</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostTableModel</name>
        <message>
            <source>Process %1</source>
            <translation>Prozess %1</translation>
        </message>
        <message>
            <source>Processes %1 to %2</source>
            <translation>Prozesse %1 bis %2</translation>
        </message>
        <message>
            <source>trains</source>
            <translation>trainiert</translation>
        </message>
        <message>
            <source>evaluator</source>
            <translation>Evaluator</translation>
        </message>
        <message>
            <source>spare</source>
            <translation>Ersatz</translation>
        </message>
        <message>
            <source>change of the hosts</source>
            <translation>Änderung der Hosts</translation>
        </message>
        <message>
            <source>The job has changed since: check again.</source>
            <translation>Der Job hat sich seither geändert: erneut prüfen.</translation>
        </message>
        <message>
            <source>Last check: %1</source>
            <translation>Letzte Prüfung: %1</translation>
        </message>
        <message>
            <source>with the chief</source>
            <translation>beim Chief</translation>
        </message>
        <message>
            <source>chosen at launch</source>
            <translation>beim Start gewählt</translation>
        </message>
        <message>
            <source>As ssh takes it: a name of the ssh settings, user@host, or host:port</source>
            <translation>Wie ssh es nimmt: ein Name der ssh-Einstellungen, benutzer@host oder host:port</translation>
        </message>
        <message>
            <source>The job does not list an address for each process, so this host's is chosen at launch. To give one, list an address for each process as cluster.job_addresses in the job's text</source>
            <translation>Der Job nennt nicht für jeden Prozess eine Adresse; die dieses Hosts wird beim Start gewählt. Um eine anzugeben, im Text des Jobs unter cluster.job_addresses für jeden Prozess eine Adresse aufführen</translation>
        </message>
        <message>
            <source>How the other hosts reach it, with a port if it is to be one of yours</source>
            <translation>Wie die anderen Hosts ihn erreichen; mit Port, wenn es ein bestimmter sein soll</translation>
        </message>
        <message>
            <source>%1: a port of its own is for one process</source>
            <translation>%1: Ein eigener Port ist für einen Prozess</translation>
        </message>
        <message>
            <source>Takes the place of a host that is lost</source>
            <translation>Ersetzt einen Host, der verloren ist</translation>
        </message>
        <message>
            <source>Scores the checkpoints</source>
            <translation>Bewertet die Checkpoints</translation>
        </message>
        <message>
            <source>Process 0 runs here, with the run's folder; the last host that trains cannot be a spare</source>
            <translation>Hier läuft Prozess 0, mit dem Ordner des Laufs; der letzte Host, der trainiert, kann kein Ersatz sein</translation>
        </message>
        <message>
            <source>not named</source>
            <translation>nicht benannt</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>Host</translation>
        </message>
        <message>
            <source>Processes</source>
            <translation>Prozesse</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>Adresse</translation>
        </message>
        <message>
            <source>Part</source>
            <translation>Rolle</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostTextDelegate</name>
        <message>
            <source>gpu1, or alice@gpu1</source>
            <translation>gpu1 oder alice@gpu1</translation>
        </message>
        <message>
            <source>Names of the ssh settings</source>
            <translation>Namen der ssh-Einstellungen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ImportDialog</name>
        <message>
            <source>Import a cluster</source>
            <translation>Cluster importieren</translation>
        </message>
        <message>
            <source>Paste how another program describes the cluster. Which one it is need not be said.</source>
            <translation>Hier einfügen, wie ein anderes Programm den Cluster beschreibt. Welches es ist, muss nicht angegeben werden.</translation>
        </message>
        <message>
            <source>Description of a cluster</source>
            <translation>Beschreibung eines Clusters</translation>
        </message>
        <message>
            <source>TF_CONFIG='{"cluster": {"worker": ["host1:12345", "host2:12345"]}, …}'
KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234
jax.distributed.initialize(coordinator_address="10.0.0.1:1234", …)
torchrun --nnodes 2 --master-addr host1 …, or its variables
host1 slots=4          (a hostfile)
node[001-004]          (a Slurm node list)
the manifest of an indexed Kubernetes job</source>
            <translation>TF_CONFIG='{"cluster": {"worker": ["host1:12345", "host2:12345"]}, …}'
KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234
jax.distributed.initialize(coordinator_address="10.0.0.1:1234", …)
torchrun --nnodes 2 --master-addr host1 …, oder seine Variablen
host1 slots=4          (ein Hostfile)
node[001-004]          (eine Slurm-Knotenliste)
das Manifest eines indizierten Kubernetes-Jobs</translation>
        </message>
        <message>
            <source>Write into the job</source>
            <translation>In den Job übernehmen</translation>
        </message>
        <message>
            <source>Nothing is pasted yet.</source>
            <translation>Noch nichts eingefügt.</translation>
        </message>
        <message>
            <source>Comments and blanks do not matter; quotes and “export” may stay.</source>
            <translation>Kommentare und Leerzeichen spielen keine Rolle; Anführungszeichen und „export“ dürfen bleiben.</translation>
        </message>
        <message>
            <source>Note: %1</source>
            <translation>Hinweis: %1</translation>
        </message>
        <message>
            <source>Understood.</source>
            <translation>Verstanden.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobController</name>
        <message>
            <source>job of %1</source>
            <translation>Job von %1</translation>
        </message>
        <message>
            <source>Open job</source>
            <translation>Job öffnen</translation>
        </message>
        <message>
            <source>Job files (*.toml);;All files (*)</source>
            <translation>Jobdateien (*.toml);;Alle Dateien (*)</translation>
        </message>
        <message>
            <source>Save job</source>
            <translation>Job speichern</translation>
        </message>
        <message>
            <source>Job files (*.toml)</source>
            <translation>Jobdateien (*.toml)</translation>
        </message>
        <message>
            <source>job from %1</source>
            <translation>Job aus %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobEditor</name>
        <message>
            <source>edit of the text</source>
            <translation>Text bearbeiten</translation>
        </message>
        <message>
            <source>import of a cluster</source>
            <translation>Cluster importieren</translation>
        </message>
        <message>
            <source>change of %1</source>
            <translation>%1 ändern</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>Daten</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>Job</translation>
        </message>
        <message>
            <source>Evaluators</source>
            <translation>Evaluatoren</translation>
        </message>
        <message>
            <source>Checkpoints</source>
            <translation>Checkpoints</translation>
        </message>
        <message>
            <source>Own program</source>
            <translation>Eigenes Programm</translation>
        </message>
        <message>
            <source>Every process runs this program; data, model and training are its own.</source>
            <translation>Jeder Prozess führt dieses Programm aus; Daten, Modell und Training sind seine Sache.</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>Start</translation>
        </message>
        <message>
            <source>Training</source>
            <translation>Training</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobField</name>
        <message>
            <source>not set</source>
            <translation>nicht gesetzt</translation>
        </message>
        <message>
            <source>Choose …</source>
            <translation>Auswählen …</translation>
        </message>
        <message>
            <source>Choose %1</source>
            <translation>%1 auswählen</translation>
        </message>
        <message>
            <source>change of %1</source>
            <translation>%1 ändern</translation>
        </message>
        <message>
            <source>line %1</source>
            <translation>Zeile %1</translation>
        </message>
        <message>
            <source>This value comes from %1</source>
            <translation>Dieser Wert stammt aus %1</translation>
        </message>
        <message>
            <source>This is the default</source>
            <translation>Das ist der Standardwert</translation>
        </message>
        <message>
            <source>default</source>
            <translation>Standard</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobPage</name>
        <message>
            <source>One process runs %1</source>
            <translation>Ein Prozess führt %1 aus</translation>
        </message>
        <message>
            <source>%1 processes run %2</source>
            <translation>%1 Prozesse führen %2 aus</translation>
        </message>
        <message>
            <source>Batches of %1, for %2 of %3</source>
            <translation>Batches zu %1 Beispielen, über %2 von %3</translation>
        </message>
        <message>
            <source>One replica takes every batch of %1, for %2 of %3</source>
            <translation>Ein Replikat übernimmt jeden Batch zu %1 Beispielen, über %2 von %3</translation>
        </message>
        <message>
            <source>%1 replicas take %2 samples each of every batch of %3, for %4 of %5</source>
            <translation>%1 Replikate übernehmen je %2 Beispiele aus jedem Batch zu %3, über %4 von %5</translation>
        </message>
        <message>
            <source>Open a job to begin</source>
            <translation>Zum Anfangen einen Job öffnen</translation>
        </message>
        <message>
            <source>A job is one file: the cluster, the data, the model and the training plan. The example trains a small network on two replicas of this machine; it needs nothing to download. Home has others to begin with, and what was open last.</source>
            <translation>Ein Job ist eine Datei: Cluster, Daten, Modell und Trainingsplan. Das Beispiel trainiert ein kleines Netz auf zwei Replikaten dieses Rechners; herunterzuladen ist nichts. Die Übersicht bietet weitere für den Anfang und die zuletzt geöffneten.</translation>
        </message>
        <message>
            <source>Open example</source>
            <translation>Beispiel öffnen</translation>
        </message>
        <message>
            <source>Open job…</source>
            <translation>Job öffnen…</translation>
        </message>
        <message>
            <source>The job “%1” as the run that is followed was launched with it</source>
            <translation>Der Job „%1“, wie der verfolgte Lauf mit ihm gestartet wurde</translation>
        </message>
        <message>
            <source>Show in text</source>
            <translation>Im Text anzeigen</translation>
        </message>
        <message>
            <source>Show the run's job</source>
            <translation>Job des Laufs anzeigen</translation>
        </message>
        <message>
            <source>Check hosts</source>
            <translation>Hosts prüfen</translation>
        </message>
        <message>
            <source>Examine every host of the job; nothing of it is started</source>
            <translation>Jeden Host des Jobs untersuchen; vom Job selbst wird nichts gestartet</translation>
        </message>
        <message>
            <source>Job form</source>
            <translation>Formular des Jobs</translation>
        </message>
        <message>
            <source>1 problem</source>
            <translation>1 Problem</translation>
        </message>
        <message>
            <source>%1 problems</source>
            <translation>%1 Probleme</translation>
        </message>
        <message>
            <source>Hosts</source>
            <translation>Hosts</translation>
        </message>
        <message>
            <source>1 note</source>
            <translation>1 Hinweis</translation>
        </message>
        <message>
            <source>%1 notes</source>
            <translation>%1 Hinweise</translation>
        </message>
        <message>
            <source>1 step</source>
            <translation>1 Schritt</translation>
        </message>
        <message>
            <source>%1 steps</source>
            <translation>%1 Schritte</translation>
        </message>
        <message>
            <source>1 epoch</source>
            <translation>1 Epoche</translation>
        </message>
        <message>
            <source>%1 epochs</source>
            <translation>%1 Epochen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobPreview</name>
        <message>
            <source>Job file as text</source>
            <translation>Jobdatei als Text</translation>
        </message>
        <message>
            <source>Show the job file as text</source>
            <translation>Die Jobdatei als Text anzeigen</translation>
        </message>
        <message>
            <source>Form of the job</source>
            <translation>Darstellung des Jobs</translation>
        </message>
        <message>
            <source>This file</source>
            <translation>Diese Datei</translation>
        </message>
        <message>
            <source>With all defaults</source>
            <translation>Mit allen Standardwerten</translation>
        </message>
        <message>
            <source>As %1</source>
            <translation>Als %1</translation>
        </message>
        <message>
            <source>Process that the text is for</source>
            <translation>Prozess, für den der Text ist</translation>
        </message>
        <message>
            <source>Text of the job file</source>
            <translation>Text der Jobdatei</translation>
        </message>
        <message>
            <source>for process %1</source>
            <translation>für Prozess %1</translation>
        </message>
        <message>
            <source>for the evaluator</source>
            <translation>für den Evaluator</translation>
        </message>
        <message>
            <source>Edits here and in the form are the same.</source>
            <translation>Änderungen hier und im Formular sind gleichwertig.</translation>
        </message>
        <message>
            <source>Read only: derived from this file.</source>
            <translation>Nur lesbar: aus dieser Datei abgeleitet.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::KeepButton</name>
        <message>
            <source>No longer keep</source>
            <translation>Nicht mehr behalten</translation>
        </message>
        <message>
            <source>Keep this one</source>
            <translation>Diesen behalten</translation>
        </message>
        <message>
            <source>It goes when newer ones come, as checkpoint.keep says</source>
            <translation>Er geht, wenn neuere kommen, wie checkpoint.keep es sagt</translation>
        </message>
        <message>
            <source>Its files stay, whatever checkpoints come after it</source>
            <translation>Seine Dateien bleiben, welche Checkpoints auch nach ihm kommen</translation>
        </message>
        <message>
            <source>The checkpoint of step %1 stays.</source>
            <translation>Der Checkpoint von Schritt %1 bleibt.</translation>
        </message>
        <message>
            <source>The files of the checkpoint of step %1 are gone.</source>
            <translation>Die Dateien des Checkpoints von Schritt %1 sind nicht mehr da.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::Kinds</name>
        <message>
            <source>The kind of layer, as Keras names it.</source>
            <translation>Die Art der Schicht, wie sie bei Keras heißt.</translation>
        </message>
        <message>
            <source>What its tensors are called after; later layers take its output by it.</source>
            <translation>Danach heißen ihre Tensoren; spätere Schichten übernehmen darüber ihre Ausgabe.</translation>
        </message>
        <message>
            <source>by its place</source>
            <translation>nach Position</translation>
        </message>
        <message>
            <source>The names of the layers that it takes: ["a", "b"].</source>
            <translation>Die Namen der Schichten, die sie als Eingabe nimmt: ["a", "b"].</translation>
        </message>
        <message>
            <source>The name of the layer that it takes; "data" is the sample.</source>
            <translation>Der Name der Schicht, die sie als Eingabe nimmt; "data" ist das Beispiel.</translation>
        </message>
        <message>
            <source>what stands before it</source>
            <translation>die Schicht davor</translation>
        </message>
        <message>
            <source>Which block stands there.</source>
            <translation>Welcher Block dort steht.</translation>
        </message>
        <message>
            <source>What “$%1” stands for in the block.</source>
            <translation>Wofür „$%1“ im Block steht.</translation>
        </message>
        <message>
            <source>none</source>
            <translation>ohne</translation>
        </message>
        <message>
            <source>each its own</source>
            <translation>jeweils eigener</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerEditor</name>
        <message>
            <source>Add</source>
            <translation>Hinzufügen</translation>
        </message>
        <message>
            <source>Add a layer, a residual or a block</source>
            <translation>Eine Schicht, ein Residual oder einen Block hinzufügen</translation>
        </message>
        <message>
            <source>Duplicate</source>
            <translation>Duplizieren</translation>
        </message>
        <message>
            <source>Move up</source>
            <translation>Nach oben</translation>
        </message>
        <message>
            <source>Move down</source>
            <translation>Nach unten</translation>
        </message>
        <message>
            <source>Make it a residual</source>
            <translation>In ein Residual umwandeln</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>Fold all</source>
            <translation>Alle einklappen</translation>
        </message>
        <message>
            <source>Unfold all</source>
            <translation>Alle ausklappen</translation>
        </message>
        <message>
            <source>%1 … %2</source>
            <translation>%1 … %2</translation>
        </message>
        <message>
            <source>Residual</source>
            <translation>Residual</translation>
        </message>
        <message>
            <source>Shortcut of the residual</source>
            <translation>Shortcut des Residuals</translation>
        </message>
        <message>
            <source>Use of block %1</source>
            <translation>Verwendung von Block %1</translation>
        </message>
        <message>
            <source>New block</source>
            <translation>Neuer Block</translation>
        </message>
        <message>
            <source>Defaults of every %1</source>
            <translation>Standardwerte für alle %1</translation>
        </message>
        <message>
            <source>Defaults of a type</source>
            <translation>Standardwerte eines Typs</translation>
        </message>
        <message>
            <source>The block is used</source>
            <translation>Der Block wird verwendet</translation>
        </message>
        <message>
            <source>new layer</source>
            <translation>Schicht hinzufügen</translation>
        </message>
        <message>
            <source>new shortcut</source>
            <translation>Shortcut hinzufügen</translation>
        </message>
        <message>
            <source>new block</source>
            <translation>Block hinzufügen</translation>
        </message>
        <message>
            <source>new defaults</source>
            <translation>Standardwerte hinzufügen</translation>
        </message>
        <message>
            <source>move of a layer</source>
            <translation>Schicht verschieben</translation>
        </message>
        <message>
            <source>copy of a layer</source>
            <translation>Schicht kopieren</translation>
        </message>
        <message>
            <source>new residual</source>
            <translation>Residual hinzufügen</translation>
        </message>
        <message>
            <source>removal of a block</source>
            <translation>Block entfernen</translation>
        </message>
        <message>
            <source>removal of a shortcut</source>
            <translation>Shortcut entfernen</translation>
        </message>
        <message>
            <source>removal of defaults</source>
            <translation>Standardwerte entfernen</translation>
        </message>
        <message>
            <source>removal of a layer</source>
            <translation>Schicht entfernen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerInspector</name>
        <message>
            <source>Edit as text</source>
            <translation>Als Text bearbeiten</translation>
        </message>
        <message>
            <source>Show the block</source>
            <translation>Block anzeigen</translation>
        </message>
        <message>
            <source>1 more option</source>
            <translation>1 weitere Option</translation>
        </message>
        <message>
            <source>%1 more options</source>
            <translation>%1 weitere Optionen</translation>
        </message>
        <message>
            <source>A layer without a type</source>
            <translation>Eine Schicht ohne Typ</translation>
        </message>
        <message>
            <source>Residual</source>
            <translation>Residual</translation>
        </message>
        <message>
            <source>Shortcut: what the residual's input goes through on its way past the layers</source>
            <translation>Shortcut: was die Eingabe des Residuals auf dem Weg an den Schichten vorbei durchläuft</translation>
        </message>
        <message>
            <source>Use of block %1</source>
            <translation>Verwendung von Block %1</translation>
        </message>
        <message>
            <source>Block %1: its layers may have “$name” for values that each use gives</source>
            <translation>Block %1: Seine Schichten können „$name“ für Werte enthalten, die jede Verwendung angibt</translation>
        </message>
        <message>
            <source>Blocks: lists of layers that are used by name</source>
            <translation>Blöcke: Listen von Schichten, die über ihren Namen verwendet werden</translation>
        </message>
        <message>
            <source>Defaults: what layers of a type have that do not say otherwise</source>
            <translation>Standardwerte: was für Schichten eines Typs gilt, wenn sie nichts anderes angeben</translation>
        </message>
        <message>
            <source>Defaults of every %1</source>
            <translation>Standardwerte für alle %1</translation>
        </message>
        <message>
            <source>This is no layer</source>
            <translation>Das ist keine Schicht</translation>
        </message>
        <message>
            <source>Remove what %1 does not have: %2</source>
            <translation>Entfernen, was %1 nicht kennt: %2</translation>
        </message>
        <message>
            <source>Only a table such as { type = "dense", units = 10 } is a layer: edit this one as text.</source>
            <translation>Nur eine Tabelle wie { type = "dense", units = 10 } ist eine Schicht: diese als Text bearbeiten.</translation>
        </message>
        <message>
            <source>This list is not written in brackets, so its layers are added, moved and removed in the text.</source>
            <translation>Diese Liste steht nicht in eckigen Klammern; deshalb werden ihre Schichten im Text hinzugefügt, verschoben und entfernt.</translation>
        </message>
        <message>
            <source>renaming of %1</source>
            <translation>%1 umbenennen</translation>
        </message>
        <message>
            <source>change of %1 in %2</source>
            <translation>%1 in %2 ändern</translation>
        </message>
        <message>
            <source>removal of options</source>
            <translation>Optionen entfernen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerTree</name>
        <message>
            <source>Layers of the network</source>
            <translation>Schichten des Netzes</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerTreeModel</name>
        <message>
            <source>residual</source>
            <translation>Residual</translation>
        </message>
        <message>
            <source>shortcut</source>
            <translation>Shortcut</translation>
        </message>
        <message>
            <source>Blocks</source>
            <translation>Blöcke</translation>
        </message>
        <message>
            <source>Defaults</source>
            <translation>Standardwerte</translation>
        </message>
        <message>
            <source>not a layer</source>
            <translation>keine Schicht</translation>
        </message>
        <message>
            <source>no type</source>
            <translation>kein Typ</translation>
        </message>
        <message>
            <source>used by name, with parameters</source>
            <translation>über den Namen verwendet, mit Parametern</translation>
        </message>
        <message>
            <source>for every layer of a type</source>
            <translation>für jede Schicht eines Typs</translation>
        </message>
        <message>
            <source>what passes the layers above</source>
            <translation>was die Schichten darüber umgeht</translation>
        </message>
        <message>
            <source>gives %1</source>
            <translation>ergibt %1</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>Schicht</translation>
        </message>
        <message>
            <source>Output</source>
            <translation>Ausgabe</translation>
        </message>
        <message>
            <source>Parameters</source>
            <translation>Parameter</translation>
        </message>
        <message>
            <source>move of a layer</source>
            <translation>Schicht verschieben</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LineDelegate</name>
        <message>
            <source>%1 lines</source>
            <translation>%1 Zeilen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LiveChart</name>
        <message>
            <source>%1, step %2</source>
            <translation>%1, Schritt %2</translation>
        </message>
        <message>
            <source>Nothing measured yet</source>
            <translation>Noch nichts gemessen</translation>
        </message>
        <message>
            <source>Chart of %1</source>
            <translation>Diagramm von %1</translation>
        </message>
        <message>
            <source>newest %1</source>
            <translation>neuester Wert %1</translation>
        </message>
        <message>
            <source>Epoch</source>
            <translation>Epoche</translation>
        </message>
        <message>
            <source>Time since the first step, without pauses</source>
            <translation>Zeit seit dem ersten Schritt, ohne Pausen</translation>
        </message>
        <message>
            <source>Time of day</source>
            <translation>Uhrzeit</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>Schritt</translation>
        </message>
        <message>
            <source>%1 others</source>
            <translation>%1 andere</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>und %1 weitere</translation>
        </message>
        <message>
            <source>%1 (%2)</source>
            <translation>%1 (%2)</translation>
        </message>
        <message>
            <source>curves without a place on this axis: %1</source>
            <translation>Kurven ohne Platz auf dieser Achse: %1</translation>
        </message>
        <message>
            <source>Mean</source>
            <translation>Mittel</translation>
        </message>
        <message>
            <source>Highest: %1</source>
            <translation>Höchstwert: %1</translation>
        </message>
        <message>
            <source>Lowest: %1</source>
            <translation>Tiefstwert: %1</translation>
        </message>
        <message>
            <source>%1 more between</source>
            <translation>%1 weitere dazwischen</translation>
        </message>
        <message>
            <source>%1, %2 more not finite</source>
            <translation>%1, %2 weitere nicht endlich</translation>
        </message>
        <message>
            <source>epoch %1 · step %2</source>
            <translation>Epoche %1 · Schritt %2</translation>
        </message>
        <message>
            <source>%1 · step %2</source>
            <translation>%1 · Schritt %2</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>Schritt %1</translation>
        </message>
        <message>
            <source>first at step %1 →</source>
            <translation>erster bei Schritt %1 →</translation>
        </message>
        <message>
            <source>← newest at step %1</source>
            <translation>← neuester bei Schritt %1</translation>
        </message>
        <message>
            <source>%1 · smoothed</source>
            <translation>%1 · geglättet</translation>
        </message>
        <message>
            <source>%1 · as reported</source>
            <translation>%1 · wie gemeldet</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LiveFeed</name>
        <message>
            <source>Replica %1</source>
            <translation>Replikat %1</translation>
        </message>
        <message>
            <source>%1 (without a mark of their own: %2 more)</source>
            <translation>%1 (ohne eigene Marke noch: %2)</translation>
        </message>
        <message>
            <source>Mean</source>
            <translation>Mittel</translation>
        </message>
        <message>
            <source>end of epoch %1</source>
            <translation>Ende von Epoche %1</translation>
        </message>
        <message>
            <source>checkpoint of step %1, deleted since</source>
            <translation>Checkpoint von Schritt %1, inzwischen gelöscht</translation>
        </message>
        <message>
            <source>checkpoint of step %1</source>
            <translation>Checkpoint von Schritt %1</translation>
        </message>
        <message>
            <source>started again after step %1</source>
            <translation>neu gestartet nach Schritt %1</translation>
        </message>
        <message>
            <source>%1 was lost: %2</source>
            <translation>%1 ging verloren: %2</translation>
        </message>
        <message>
            <source>drill: %1 of process %2</source>
            <translation>Übung: %1 in Prozess %2</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>Validierung</translation>
        </message>
        <message>
            <source>click: go to that moment</source>
            <translation>Klick: zu diesem Moment gehen</translation>
        </message>
        <message>
            <source>click: how the checkpoint scores</source>
            <translation>Klick: wie der Checkpoint abschneidet</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>Evaluator</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>Test</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LaneCard</name>
        <message>
            <source>Steps of the processes</source>
            <translation>Schritte der Prozesse</translation>
        </message>
        <message>
            <source>Hide the steps</source>
            <translation>Schritte ausblenden</translation>
        </message>
        <message>
            <source>Show the steps</source>
            <translation>Schritte einblenden</translation>
        </message>
        <message>
            <source>Show or hide the steps</source>
            <translation>Schritte ein- oder ausblenden</translation>
        </message>
        <message>
            <source>Heartbeats of the processes</source>
            <translation>Heartbeats der Prozesse</translation>
        </message>
        <message>
            <source>Show or hide the heartbeats</source>
            <translation>Heartbeats ein- oder ausblenden</translation>
        </message>
        <message>
            <source>Hide the heartbeats</source>
            <translation>Heartbeats ausblenden</translation>
        </message>
        <message>
            <source>Show the heartbeats</source>
            <translation>Heartbeats einblenden</translation>
        </message>
        <message>
            <source>silent</source>
            <translation>still</translation>
        </message>
        <message>
            <source>lost</source>
            <translation>verloren</translation>
        </message>
        <message>
            <source>Show the charts, too</source>
            <translation>Auch die Diagramme zeigen</translation>
        </message>
        <message>
            <source>Show only these lanes</source>
            <translation>Nur diese Bahnen zeigen</translation>
        </message>
        <message>
            <source>%1 (Esc)</source>
            <translation>%1 (Esc)</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LivePage</name>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>Genauigkeit</translation>
        </message>
        <message>
            <source>Throughput of a replica</source>
            <translation>Durchsatz je Replikat</translation>
        </message>
        <message>
            <source>samples/s</source>
            <translation>Beispiele/s</translation>
        </message>
        <message>
            <source>Step time</source>
            <translation>Schrittzeit</translation>
        </message>
        <message>
            <source>ms</source>
            <translation>ms</translation>
        </message>
        <message>
            <source>Points appear with the first step</source>
            <translation>Punkte erscheinen mit dem ersten Schritt</translation>
        </message>
        <message>
            <source>Since the first step, without the pauses between the starts of the run</source>
            <translation>Ab dem ersten Schritt, ohne die Pausen zwischen den Starts des Laufs</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>Folgen</translation>
        </message>
        <message>
            <source>Go on with the newest steps, and the present of the heartbeats</source>
            <translation>Wieder den neuesten Schritten und den aktuellen Heartbeats folgen</translation>
        </message>
        <message>
            <source>Steps shown</source>
            <translation>Gezeigte Schritte</translation>
        </message>
        <message>
            <source>All steps</source>
            <translation>Alle Schritte</translation>
        </message>
        <message>
            <source>Last %1</source>
            <translation>Letzte %1</translation>
        </message>
        <message>
            <source>No step was reported</source>
            <translation>Es wurde kein Schritt gemeldet</translation>
        </message>
        <message>
            <source>Points appear when the program reports its first step</source>
            <translation>Punkte erscheinen, sobald das Programm seinen ersten Schritt meldet</translation>
        </message>
        <message>
            <source>No accuracy was reported</source>
            <translation>Keine Genauigkeit gemeldet</translation>
        </message>
        <message>
            <source>No accuracy reported yet</source>
            <translation>Noch keine Genauigkeit gemeldet</translation>
        </message>
        <message>
            <source>Nothing runs yet</source>
            <translation>Noch läuft nichts</translation>
        </message>
        <message>
            <source>Launch the job, and loss, accuracy, throughput and step time of every replica are drawn here as they come. Every point is kept: zoom while it streams.</source>
            <translation>Nach dem Start des Jobs werden hier Loss, Genauigkeit, Durchsatz und Schrittzeit jedes Replikats laufend gezeichnet. Jeder Punkt bleibt erhalten: Zoomen ist auch während des Trainings möglich.</translation>
        </message>
        <message>
            <source>Figures that have no chart here: %1. lockstepctl export has them all.</source>
            <translation>Kennzahlen, die hier kein Diagramm haben: %1. lockstepctl export gibt sie alle aus.</translation>
        </message>
        <message>
            <source>Figures whose charts lack their first values: %1. lockstepctl export has them all.</source>
            <translation>Kennzahlen, deren Diagrammen die ersten Werte fehlen: %1. lockstepctl export gibt sie alle aus.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LiveRunsOffer</name>
        <message>
            <source>“%1” is running.</source>
            <translation>„%1“ läuft.</translation>
        </message>
        <message>
            <source>%1 jobs are running.</source>
            <translation>%1 Jobs laufen.</translation>
        </message>
        <message>
            <source>Open it</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>Open %1</source>
            <translation>%1 öffnen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LogModel</name>
        <message>
            <source>Time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>Prozess</translation>
        </message>
        <message>
            <source>Level</source>
            <translation>Stufe</translation>
        </message>
        <message>
            <source>Message</source>
            <translation>Meldung</translation>
        </message>
        <message>
            <source>Not finished yet</source>
            <translation>Noch nicht zu Ende</translation>
        </message>
        <message>
            <source>Line %1</source>
            <translation>Zeile %1</translation>
        </message>
        <message>
            <source>%1, %2. A click puts the charts' crosshair there.</source>
            <translation>%1, %2. Ein Klick setzt das Fadenkreuz der Diagramme dorthin.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LogPattern</name>
        <message>
            <source>Not a regular expression: %1, at character %2</source>
            <translation>Kein regulärer Ausdruck: %1, bei Zeichen %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LogsPage</name>
        <message>
            <source>Show lines of one process</source>
            <translation>Zeilen eines Prozesses anzeigen</translation>
        </message>
        <message>
            <source>All processes</source>
            <translation>Alle Prozesse</translation>
        </message>
        <message>
            <source>Least level shown</source>
            <translation>Niedrigste gezeigte Stufe</translation>
        </message>
        <message>
            <source>Debug and above</source>
            <translation>Debug und höher</translation>
        </message>
        <message>
            <source>Info and above</source>
            <translation>Info und höher</translation>
        </message>
        <message>
            <source>Warnings and errors</source>
            <translation>Warnungen und Fehler</translation>
        </message>
        <message>
            <source>Errors only</source>
            <translation>Nur Fehler</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>Folgen</translation>
        </message>
        <message>
            <source>Keep the newest line in view</source>
            <translation>Die neueste Zeile im Blick behalten</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>Kopieren</translation>
        </message>
        <message>
            <source>Copy the chosen lines, or all that are shown</source>
            <translation>Die gewählten Zeilen kopieren, oder alle gezeigten</translation>
        </message>
        <message>
            <source>Log lines</source>
            <translation>Log-Zeilen</translation>
        </message>
        <message>
            <source>Copy lines</source>
            <translation>Zeilen kopieren</translation>
        </message>
        <message>
            <source>No log lines yet</source>
            <translation>Noch keine Log-Zeilen</translation>
        </message>
        <message>
            <source>What every process of the job writes appears here in one list, with the process that wrote it. Launch a job or attach to a run.</source>
            <translation>Was jeder Prozess des Jobs schreibt, erscheint hier in einer Liste, mit dem Prozess, der es geschrieben hat. Dazu einen Job starten oder mit einem Lauf verbinden.</translation>
        </message>
        <message>
            <source>%1 line</source>
            <translation>%1 Zeile</translation>
        </message>
        <message>
            <source>%1 lines</source>
            <translation>%1 Zeilen</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>Show only lines with…</source>
            <translation>Nur Zeilen mit …</translation>
        </message>
        <message>
            <source>Show only lines with this text</source>
            <translation>Nur Zeilen mit diesem Text zeigen</translation>
        </message>
        <message>
            <source>Show this moment on Live</source>
            <translation>Diesen Zeitpunkt auf Live zeigen</translation>
        </message>
        <message>
            <source>The process that failed wrote no line.</source>
            <translation>Der Prozess, der ausgefallen ist, hat keine Zeile geschrieben.</translation>
        </message>
        <message>
            <source>%1. The lines stay as they are.</source>
            <translation>%1. Die Zeilen bleiben, wie sie sind.</translation>
        </message>
        <message>
            <source>The filter holds that line back. This is the next one that it lets through.</source>
            <translation>Der Filter hält diese Zeile zurück. Dies ist die nächste, die er durchlässt.</translation>
        </message>
        <message>
            <source>1 line</source>
            <translation>1 Zeile</translation>
        </message>
        <message>
            <source>Copied %1.</source>
            <translation>Kopiert: %1.</translation>
        </message>
        <message>
            <source>Copied %1 of %2. The run's folder has all of them in logs/, a file for each process.</source>
            <translation>Kopiert: %1 von %2. Der Laufordner hat alle in logs/, eine Datei je Prozess.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::MainWindow</name>
        <message>
            <source>The hosts cannot be checked yet.</source>
            <translation>Die Hosts können noch nicht geprüft werden.</translation>
        </message>
        <message>
            <source>Lockstep</source>
            <translation>Lockstep</translation>
        </message>
        <message>
            <source>No run is open.</source>
            <translation>Kein Lauf ist geöffnet.</translation>
        </message>
        <message>
            <source>Open a job to begin.</source>
            <translation>Zum Anfangen einen Job öffnen.</translation>
        </message>
        <message>
            <source>has problems</source>
            <translation>hat Probleme</translation>
        </message>
        <message>
            <source>Show log</source>
            <translation>Log anzeigen</translation>
        </message>
        <message>
            <source>a job without a file</source>
            <translation>ein Job ohne Datei</translation>
        </message>
        <message>
            <source>Changes of %1 were not saved the last time.</source>
            <translation>Änderungen von %1 wurden beim letzten Mal nicht gespeichert.</translation>
        </message>
        <message>
            <source>Recover them, or dismiss this to give them up.</source>
            <translation>Wiederherstellen, oder durch Schließen dieser Meldung verwerfen.</translation>
        </message>
        <message>
            <source>Recover</source>
            <translation>Wiederherstellen</translation>
        </message>
        <message>
            <source>A folder for the runs of all jobs</source>
            <translation>Ein Ordner für die Läufe aller Jobs</translation>
        </message>
        <message>
            <source>Attach to run folder</source>
            <translation>Mit Laufordner verbinden</translation>
        </message>
        <message>
            <source>Home</source>
            <translation>Übersicht</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>Job</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>Live</translation>
        </message>
        <message>
            <source>Replicas</source>
            <translation>Replikate</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>Evaluator</translation>
        </message>
        <message>
            <source>Logs</source>
            <translation>Logs</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>From the next start: %1</source>
            <translation>Ab dem nächsten Start: %1</translation>
        </message>
        <message>
            <source>Replay the last 30 s</source>
            <translation>Die letzten 30 s abspielen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ModelCard</name>
        <message>
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>Fold all blocks of the picture</source>
            <translation>Alle Blöcke des Bildes einklappen</translation>
        </message>
        <message>
            <source>Unfold all blocks of the picture</source>
            <translation>Alle Blöcke des Bildes ausklappen</translation>
        </message>
        <message>
            <source>Smaller (−)</source>
            <translation>Kleiner (−)</translation>
        </message>
        <message>
            <source>Larger (+)</source>
            <translation>Größer (+)</translation>
        </message>
        <message>
            <source>Fit the width (0)</source>
            <translation>An die Breite anpassen (0)</translation>
        </message>
        <message>
            <source>1 layer</source>
            <translation>1 Schicht</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 Schichten</translation>
        </message>
        <message>
            <source>%1 parameters</source>
            <translation>%1 Parameter</translation>
        </message>
        <message>
            <source>%1FLOP a sample</source>
            <translation>%1FLOP je Beispiel</translation>
        </message>
        <message>
            <source>The picture is of the last text that was a network.</source>
            <translation>Das Bild zeigt den letzten Text, der ein Netz war.</translation>
        </message>
        <message>
            <source>The picture is of the last text that was a network. %1</source>
            <translation>Das Bild zeigt den letzten Text, der ein Netz war. %1</translation>
        </message>
        <message>
            <source>For samples of %1.</source>
            <translation>Für Beispiele mit %1.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::NavigationRail</name>
        <message>
            <source>Pages</source>
            <translation>Seiten</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::Network</name>
        <message>
            <source>%1 tokens</source>
            <translation>%1 Tokens</translation>
        </message>
        <message>
            <source>%1 numbers</source>
            <translation>%1 Zahlen</translation>
        </message>
        <message>
            <source>%1 and the column %2</source>
            <translation>%1 und der Spalte %2</translation>
        </message>
        <message>
            <source>%1 and the columns %2</source>
            <translation>%1 und den Spalten %2</translation>
        </message>
        <message>
            <source>%1 classes</source>
            <translation>%1 Klassen</translation>
        </message>
        <message>
            <source>vocabulary of %1</source>
            <translation>Vokabular von %1</translation>
        </message>
        <message>
            <source>1 number</source>
            <translation>1 Zahl</translation>
        </message>
        <message>
            <source>%1 (supposed: the data were not found yet)</source>
            <translation>%1 (angenommen: die Daten wurden noch nicht gefunden)</translation>
        </message>
        <message>
            <source>What the data are like is not known yet.</source>
            <translation>Wie die Daten aussehen, ist noch nicht bekannt.</translation>
        </message>
        <message>
            <source>What the data are like is not known yet: %1</source>
            <translation>Wie die Daten aussehen, ist noch nicht bekannt: %1</translation>
        </message>
        <message>
            <source>%1 shapes</source>
            <translation>%1 Formen</translation>
        </message>
        <message>
            <source>data</source>
            <translation>Daten</translation>
        </message>
        <message>
            <source>column</source>
            <translation>Spalte</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::NoticeBar</name>
        <message>
            <source>Copy details</source>
            <translation>Details kopieren</translation>
        </message>
        <message>
            <source>Dismiss</source>
            <translation>Schließen</translation>
        </message>
        <message>
            <source>Dismiss this message</source>
            <translation>Diese Meldung schließen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::OptionField</name>
        <message>
            <source>%1 (default)</source>
            <translation>%1 (Standard)</translation>
        </message>
        <message>
            <source>not set</source>
            <translation>nicht gesetzt</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ParallelPlot</name>
        <message>
            <source>Settings and results of the runs, an axis each</source>
            <translation>Einstellungen und Ergebnisse der Läufe, je eine Achse</translation>
        </message>
        <message>
            <source>Drag along an axis to choose the runs that pass there; a click chooses one</source>
            <translation>Ziehen entlang einer Achse wählt die Läufe, die dort hindurchgehen; ein Klick wählt einen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::PatternEdit</name>
        <message>
            <source>Match case</source>
            <translation>Groß/klein beachten</translation>
        </message>
        <message>
            <source>Regular expression</source>
            <translation>Regulärer Ausdruck</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::PhaseBar</name>
        <message>
            <source>Phases of a step</source>
            <translation>Phasen eines Schritts</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::PhaseLegend</name>
        <message>
            <source>Phases of a step</source>
            <translation>Phasen eines Schritts</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ProgressStrip</name>
        <message>
            <source>Progress</source>
            <translation>Fortschritt</translation>
        </message>
        <message>
            <source>of unknown length</source>
            <translation>von unbekannter Länge</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::QuestionCard</name>
        <message>
            <source>Ask the network</source>
            <translation>Das Netz befragen</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Erneut versuchen</translation>
        </message>
        <message>
            <source>Predict</source>
            <translation>Vorhersagen</translation>
        </message>
        <message>
            <source>Paste rows</source>
            <translation>Zeilen einfügen</translation>
        </message>
        <message>
            <source>Ask about the rows that were copied from a spreadsheet or a CSV file, with or without their header</source>
            <translation>Nach den Zeilen fragen, die aus einer Tabellenkalkulation oder CSV-Datei kopiert wurden, mit oder ohne Kopfzeile</translation>
        </message>
        <message>
            <source>How freely tokens are drawn; 0: always the likeliest one</source>
            <translation>Wie frei Tokens gezogen werden; 0: immer das wahrscheinlichste</translation>
        </message>
        <message>
            <source>Decides what is drawn</source>
            <translation>Bestimmt, was gezogen wird</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>Tokens</translation>
        </message>
        <message>
            <source>Temperature</source>
            <translation>Temperatur</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>Seed</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>Prompt</translation>
        </message>
        <message>
            <source>A text to be continued</source>
            <translation>Ein Text, der fortgesetzt werden soll</translation>
        </message>
        <message>
            <source>Continue</source>
            <translation>Weiterschreiben</translation>
        </message>
        <message>
            <source>Reading the checkpoint …</source>
            <translation>Checkpoint wird gelesen …</translation>
        </message>
        <message>
            <source>Drop images here</source>
            <translation>Bilder hier ablegen</translation>
        </message>
        <message>
            <source>JPEG, PNG, a folder of them, or an IDX file of images; all are brought to the network's size.</source>
            <translation>JPEG, PNG, ein Ordner davon oder eine IDX-Datei mit Bildern; alle werden auf die Größe des Netzes gebracht.</translation>
        </message>
        <message>
            <source>Or drop CSV files with these columns</source>
            <translation>Oder CSV-Dateien mit diesen Spalten ablegen</translation>
        </message>
        <message>
            <source>Or drop files that each hold a prompt</source>
            <translation>Oder Dateien mit je einem Prompt ablegen</translation>
        </message>
        <message>
            <source>The network takes numbers that come from no table, which cannot be typed here. Export it as ONNX to run it in a program of yours.</source>
            <translation>Das Netz erwartet Zahlen, die aus keiner Tabelle stammen und sich hier nicht eintippen lassen. Als ONNX exportiert, lässt es sich in einem eigenen Programm ausführen.</translation>
        </message>
        <message>
            <source>Nothing was copied: copy rows from a spreadsheet or a CSV file first.</source>
            <translation>Nichts kopiert: zuerst Zeilen aus einer Tabellenkalkulation oder CSV-Datei kopieren.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReadoutTable</name>
        <message>
            <source>and others</source>
            <translation>und weitere</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>und %1 weitere</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaChips</name>
        <message>
            <source>Replicas</source>
            <translation>Replikate</translation>
        </message>
        <message>
            <source>Show %1</source>
            <translation>%1 anzeigen</translation>
        </message>
        <message>
            <source>Click shows or hides %1, Ctrl+click shows it alone</source>
            <translation>Klick blendet %1 ein oder aus, Strg+Klick zeigt nur diese Kurve</translation>
        </message>
        <message>
            <source>More</source>
            <translation>Mehr</translation>
        </message>
        <message>
            <source>%1 replicas</source>
            <translation>%1 Replikate</translation>
        </message>
        <message>
            <source>%1 others</source>
            <translation>%1 andere</translation>
        </message>
        <message>
            <source>More replicas</source>
            <translation>Weitere Replikate</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaMap</name>
        <message>
            <source>Coloured by</source>
            <translation>Farbe nach</translation>
        </message>
        <message>
            <source>Own work</source>
            <translation>Eigene Arbeit</translation>
        </message>
        <message>
            <source>Step time</source>
            <translation>Schrittzeit</translation>
        </message>
        <message>
            <source>Phase</source>
            <translation>Phase</translation>
        </message>
        <message>
            <source>Silence</source>
            <translation>Ohne Lebenszeichen</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Processor</source>
            <translation>Prozessor</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>Speicher</translation>
        </message>
        <message>
            <source>Map of the replicas, a row a host</source>
            <translation>Karte der Replikate, eine Zeile je Host</translation>
        </message>
        <message>
            <source>E</source>
            <translation>E</translation>
        </message>
        <message>
            <source>%1 on %2</source>
            <translation>%1 auf %2</translation>
        </message>
        <message>
            <source>Own work: the newest step without waiting for the others. Beneath the line: what the replicas report under names of their own</source>
            <translation>Eigene Arbeit: der neueste Schritt ohne das Warten auf die anderen. Unter dem Strich: was die Replikate unter eigenen Namen melden</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>Genauigkeit</translation>
        </message>
        <message>
            <source>%1: it has not said it</source>
            <translation>%1: hat es nicht gemeldet</translation>
        </message>
        <message>
            <source>%1: it said no finite number</source>
            <translation>%1: hat keine endliche Zahl gemeldet</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaPanel</name>
        <message>
            <source>Close the details</source>
            <translation>Details schließen</translation>
        </message>
        <message>
            <source>Close (Escape)</source>
            <translation>Schließen (Esc)</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>Host</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>Prozess</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>Speicher</translation>
        </message>
        <message>
            <source>Phases of the newest step</source>
            <translation>Phasen des neuesten Schritts</translation>
        </message>
        <message>
            <source>Step time, newest 512 steps</source>
            <translation>Schrittzeit, neueste 512 Schritte</translation>
        </message>
        <message>
            <source>Loss, newest 512 steps</source>
            <translation>Loss, neueste 512 Schritte</translation>
        </message>
        <message>
            <source>Last log lines</source>
            <translation>Letzte Log-Zeilen</translation>
        </message>
        <message>
            <source>Last log lines of this process</source>
            <translation>Letzte Log-Zeilen dieses Prozesses</translation>
        </message>
        <message>
            <source>It has written nothing yet.</source>
            <translation>Er hat noch nichts geschrieben.</translation>
        </message>
        <message>
            <source>Drill…</source>
            <translation>Übung…</translation>
        </message>
        <message>
            <source>Make a fault in this process on purpose</source>
            <translation>Absichtlich eine Störung in diesem Prozess auslösen</translation>
        </message>
        <message>
            <source>%1, %2 % of a processor</source>
            <translation>%1, %2 % eines Prozessors</translation>
        </message>
        <message>
            <source>%1, %2 %, %3 °C, %4 W</source>
            <translation>%1, %2 %, %3 °C, %4 W</translation>
        </message>
        <message>
            <source>, slowed: %1</source>
            <translation>, gedrosselt: %1</translation>
        </message>
        <message>
            <source>, %1 memory errors</source>
            <translation>, %1 Speicherfehler</translation>
        </message>
        <message>
            <source>%1, GPU %2 of %3</source>
            <translation>%1, GPU %2 von %3</translation>
        </message>
        <message>
            <source>pid %1</source>
            <translation>PID %1</translation>
        </message>
        <message>
            <source>not started</source>
            <translation>nicht gestartet</translation>
        </message>
        <message>
            <source>Step time %1, newest 512 steps</source>
            <translation>Schrittzeit %1, neueste 512 Schritte</translation>
        </message>
        <message>
            <source>Loss %1, newest 512 steps</source>
            <translation>Loss %1, neueste 512 Schritte</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaTableModel</name>
        <message>
            <source>Process</source>
            <translation>Prozess</translation>
        </message>
        <message>
            <source>Role</source>
            <translation>Rolle</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>Adresse</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>Gerät</translation>
        </message>
        <message>
            <source>State</source>
            <translation>Zustand</translation>
        </message>
        <message>
            <source>Heartbeat</source>
            <translation>Heartbeat</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>Schritt</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>Loss</translation>
        </message>
        <message>
            <source>Step time</source>
            <translation>Schrittzeit</translation>
        </message>
        <message>
            <source>Phases</source>
            <translation>Phasen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicasPage</name>
        <message>
            <source>Replicas</source>
            <translation>Replikate</translation>
        </message>
        <message>
            <source>No replicas yet</source>
            <translation>Noch keine Replikate</translation>
        </message>
        <message>
            <source>Each replica of the job has a row here: its state in words, its last heartbeat, its step and how its time divides. A lost or stuck one is named.</source>
            <translation>Jedes Replikat des Jobs hat hier eine Zeile: seinen Zustand in Worten, seinen letzten Heartbeat, seinen Schritt und wie sich dessen Zeit aufteilt. Ein verlorenes oder hängendes wird genannt.</translation>
        </message>
        <message>
            <source>Table</source>
            <translation>Tabelle</translation>
        </message>
        <message>
            <source>Map</source>
            <translation>Karte</translation>
        </message>
        <message>
            <source>Show the replicas as</source>
            <translation>Replikate anzeigen als</translation>
        </message>
        <message>
            <source>Choose one for its memory, its newest steps and its last log lines.</source>
            <translation>Eines wählen, um Speicher, neueste Schritte und letzte Log-Zeilen zu sehen.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReportHint</name>
        <message>
            <source>Copy the lines</source>
            <translation>Zeilen kopieren</translation>
        </message>
        <message>
            <source>Lines for the program</source>
            <translation>Zeilen für das Programm</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>Kopiert</translation>
        </message>
        <message>
            <source>Three lines show its loss, and any other figure, here as they come. Python 3.8 is all they need.</source>
            <translation>Mit drei Zeilen erscheinen sein Loss und jede andere Kennzahl laufend hier. Sie brauchen nichts als Python 3.8.</translation>
        </message>
        <message>
            <source>With Keras, one callback reports every metric:</source>
            <translation>Mit Keras meldet ein Callback jede Metrik:</translation>
        </message>
        <message>
            <source>The program reported nothing</source>
            <translation>Das Programm hat nichts gemeldet</translation>
        </message>
        <message>
            <source>The program runs and has reported nothing yet</source>
            <translation>Das Programm läuft und hat noch nichts gemeldet</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunController</name>
        <message>
            <source>%1, at step %2</source>
            <translation>%1, bei Schritt %2</translation>
        </message>
        <message>
            <source>%1 (%2): %3; noticed after %4</source>
            <translation>%1 (%2): %3; bemerkt nach %4</translation>
        </message>
        <message>
            <source>in a former start: %1</source>
            <translation>in einem früheren Start: %1</translation>
        </message>
        <message>
            <source>Nothing was started.</source>
            <translation>Nichts wurde gestartet.</translation>
        </message>
        <message>
            <source>The Logs page shows what it wrote last.</source>
            <translation>Die Seite Logs zeigt, was zuletzt geschrieben wurde.</translation>
        </message>
        <message>
            <source>The Logs page shows what it wrote last. Resume goes on from step %1.</source>
            <translation>Die Seite Logs zeigt, was zuletzt geschrieben wurde. „Fortsetzen“ macht bei Schritt %1 weiter.</translation>
        </message>
        <message>
            <source>Open a job first.</source>
            <translation>Zuerst einen Job öffnen.</translation>
        </message>
        <message>
            <source>A run goes on in this window. Stop it, or close it with %1; a detached one goes on by itself.</source>
            <translation>In diesem Fenster läuft noch ein Lauf. Stoppen oder mit %1 schließen; ein abgekoppelter Lauf (detached) läuft von selbst weiter.</translation>
        </message>
        <message>
            <source>The job cannot be launched yet.</source>
            <translation>Der Job kann noch nicht gestartet werden.</translation>
        </message>
        <message>
            <source>“%1” goes on without this window. Follow it again: %2</source>
            <translation>„%1“ läuft ohne dieses Fenster weiter. Wieder verfolgen mit: %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunIndex</name>
        <message>
            <source>What was read of runs is not kept for the next start: Qt's driver for SQLite is missing (Debian: libqt6sql6-sqlite).</source>
            <translation>Was über die Läufe eingelesen wurde, bleibt nicht bis zum nächsten Start erhalten: Der SQLite-Treiber von Qt fehlt (Debian: libqt6sql6-sqlite).</translation>
        </message>
        <message>
            <source>What was read of runs is not kept for the next start: %1: %2</source>
            <translation>Was über die Läufe eingelesen wurde, bleibt nicht bis zum nächsten Start erhalten: %1: %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunNews</name>
        <message>
            <source>%1: the best so far</source>
            <translation>%1: bisher bestes Ergebnis</translation>
        </message>
        <message>
            <source>Validation loss %1 in epoch %2.</source>
            <translation>Validierungs-Loss %1 in Epoche %2.</translation>
        </message>
        <message>
            <source>%1 begins again</source>
            <translation>%1 startet neu</translation>
        </message>
        <message>
            <source>%1 needs attention</source>
            <translation>%1 braucht Aufmerksamkeit</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunTrash</name>
        <message>
            <source>%1 runs, or may go on where it is not seen from here. Stop it first; open it to see how it is.</source>
            <translation>%1 läuft noch, oder läuft womöglich weiter, ohne dass es von hier aus zu sehen ist. Zuerst stoppen; das Öffnen zeigt, wie es darum steht.</translation>
        </message>
        <message>
            <source>%1 cannot be moved to the trash: there is none on its disk, or the folder may not be changed.</source>
            <translation>%1 kann nicht in den Papierkorb verschoben werden: Auf seinem Datenträger gibt es keinen, oder der Ordner darf nicht geändert werden.</translation>
        </message>
        <message>
            <source>%1 is there again already.</source>
            <translation>%1 ist schon wieder da.</translation>
        </message>
        <message>
            <source>%1 is no longer in the trash.</source>
            <translation>%1 ist nicht mehr im Papierkorb.</translation>
        </message>
        <message>
            <source>%1 cannot be put back: its place is gone, or may not be changed.</source>
            <translation>%1 kann nicht zurückgelegt werden: Der Platz ist nicht mehr da oder darf nicht geändert werden.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunWarnings</name>
        <message>
            <source>Warnings before it: %1. The log has them all.</source>
            <translation>Frühere Warnungen: %1. Im Log stehen sie alle.</translation>
        </message>
        <message>
            <source>Show log</source>
            <translation>Log anzeigen</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsAxes</name>
        <message>
            <source>%1 runs are too many lines; type above what they are to have, until %2 are left.</source>
            <translation>%1 Läufe sind zu viele Linien; oben eingrenzen, bis %2 übrig sind.</translation>
        </message>
        <message>
            <source>Axes need two runs or more that differ in two settings or results, or more. Columns, above, chooses the settings.</source>
            <translation>Achsen brauchen mindestens zwei Läufe, die sich in mindestens zwei Einstellungen oder Ergebnissen unterscheiden. Die Einstellungen sind oben unter Spalten zu wählen.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsModel</name>
        <message>
            <source>running</source>
            <translation>läuft</translation>
        </message>
        <message>
            <source>completed</source>
            <translation>abgeschlossen</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>fehlgeschlagen</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>gestoppt</translation>
        </message>
        <message>
            <source>interrupted</source>
            <translation>unterbrochen</translation>
        </message>
        <message>
            <source>unknown</source>
            <translation>unbekannt</translation>
        </message>
        <message>
            <source>Nothing was tested</source>
            <translation>Nichts wurde getestet</translation>
        </message>
        <message>
            <source>%1 of the test data; %2 is better</source>
            <translation>%1 auf den Testdaten; %2 ist besser</translation>
        </message>
        <message>
            <source>higher</source>
            <translation>höher</translation>
        </message>
        <message>
            <source>lower</source>
            <translation>niedriger</translation>
        </message>
        <message>
            <source>%1. The best of %2 runs of %3.</source>
            <translation>%1. Der beste von %2 Läufen von %3.</translation>
        </message>
        <message>
            <source>%1  %2</source>
            <translation>%1  %2</translation>
        </message>
        <message>
            <source>Nothing was validated</source>
            <translation>Es wurde nichts validiert</translation>
        </message>
        <message>
            <source>The best after an epoch, of the validation data</source>
            <translation>Der beste Wert nach einer Epoche, auf den Validierungsdaten</translation>
        </message>
        <message>
            <source>Of a run that was resumed: its newest start</source>
            <translation>Bei einem fortgesetzten Lauf: sein neuester Start</translation>
        </message>
        <message>
            <source>All starts of a run together; its newest start alone where one of them left no summary</source>
            <translation>Alle Starts eines Laufs zusammen; nur der neueste, wenn einer von ihnen keine Zusammenfassung hinterlassen hat</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>Job</translation>
        </message>
        <message>
            <source>Status</source>
            <translation>Status</translation>
        </message>
        <message>
            <source>Started</source>
            <translation>Gestartet</translation>
        </message>
        <message>
            <source>Took</source>
            <translation>Dauer</translation>
        </message>
        <message>
            <source>Best validation</source>
            <translation>Beste Validierung</translation>
        </message>
        <message>
            <source>Test score</source>
            <translation>Testergebnis</translation>
        </message>
        <message>
            <source>Run folder</source>
            <translation>Laufordner</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>Name</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>Tags</translation>
        </message>
        <message>
            <source>%1 of the validation data: first %2, best %3, last %4</source>
            <translation>%1 auf den Validierungsdaten: zuerst %2, am besten %3, zuletzt %4</translation>
        </message>
        <message>
            <source>Curve</source>
            <translation>Kurve</translation>
        </message>
        <message>
            <source>What Best validation is the best of, epoch by epoch</source>
            <translation>Wovon „Beste Validierung“ der beste Wert ist, Epoche für Epoche</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsPage</name>
        <message>
            <source>Runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>Open run</source>
            <translation>Lauf öffnen</translation>
        </message>
        <message>
            <source>Follow the chosen run, or look at it when it has ended (Return)</source>
            <translation>Den gewählten Lauf verfolgen oder, wenn er beendet ist, ansehen (Eingabetaste)</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>Vergleichen</translation>
        </message>
        <message>
            <source>Name, tags and note …</source>
            <translation>Name, Tags und Notiz …</translation>
        </message>
        <message>
            <source>What the run is called, found by and remembered for (F2)</source>
            <translation>Wie der Lauf heißt, womit man ihn findet und was man sich zu ihm merkt (F2)</translation>
        </message>
        <message>
            <source>Open its folder</source>
            <translation>Seinen Ordner öffnen</translation>
        </message>
        <message>
            <source>Write the chosen run as one page, with its curves and its job file, to hand to others</source>
            <translation>Den gewählten Lauf als eine Seite schreiben, mit Kurven und Jobdatei, zum Weitergeben</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <source>Move the chosen runs to the trash (Del)</source>
            <translation>Die gewählten Läufe in den Papierkorb verschieben (Entf)</translation>
        </message>
        <message>
            <source>Filter (Ctrl+F): digits failed learning_rate=0.01</source>
            <translation>Filter (Strg+F): digits fehlgeschlagen learning_rate=0.01</translation>
        </message>
        <message>
            <source>Filter runs by words</source>
            <translation>Läufe nach Wörtern filtern</translation>
        </message>
        <message>
            <source>Refresh</source>
            <translation>Aktualisieren</translation>
        </message>
        <message>
            <source>Read the runs folder again (F5)</source>
            <translation>Den Ordner der Läufe neu lesen (F5)</translation>
        </message>
        <message>
            <source>No run matches</source>
            <translation>Kein Lauf passt</translation>
        </message>
        <message>
            <source>Every word that is typed must be found: in the name of the job, the status, the date, the folder, what you say of the run, or a value of its settings.</source>
            <translation>Jedes eingegebene Wort muss vorkommen: im Namen des Jobs, im Status, im Datum, im Ordner, in Name, Tags und Notiz des Laufs oder in einem Wert seiner Einstellungen.</translation>
        </message>
        <message>
            <source>Show all runs</source>
            <translation>Alle Läufe anzeigen</translation>
        </message>
        <message>
            <source>No runs listed</source>
            <translation>Keine Läufe</translation>
        </message>
        <message>
            <source>Every launch gets a folder with its job, log, checkpoints and history. They are listed here, and a run that still runs can be followed again.</source>
            <translation>Jeder Start bekommt einen Ordner mit Job, Log, Checkpoints und Verlauf. Hier sind sie aufgeführt, und ein Lauf, der noch läuft, lässt sich wieder verfolgen.</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 von %2</translation>
        </message>
        <message>
            <source>1 run</source>
            <translation>1 Lauf</translation>
        </message>
        <message>
            <source>%1 runs</source>
            <translation>%1 Läufe</translation>
        </message>
        <message>
            <source>Compare with the best</source>
            <translation>Mit dem besten vergleichen</translation>
        </message>
        <message>
            <source>Its curves beside those of the best other run of its job (Ctrl+Return)</source>
            <translation>Seine Kurven neben denen des besten anderen Laufs seines Jobs (Strg+Eingabetaste)</translation>
        </message>
        <message>
            <source>Choose 2 to %1 runs, with Ctrl or Shift: their curves on the same charts, and what differs in their jobs (Ctrl+Return)</source>
            <translation>2 bis %1 Läufe wählen, mit Strg oder Umschalt: ihre Kurven in denselben Diagrammen und die Unterschiede ihrer Jobs (Strg+Eingabetaste)</translation>
        </message>
        <message>
            <source>This run is open in the window.</source>
            <translation>Dieser Lauf ist im Fenster geöffnet.</translation>
        </message>
        <message>
            <source>One is open in the window and stays. </source>
            <translation>Einer ist im Fenster geöffnet und bleibt. </translation>
        </message>
        <message>
            <source>Nothing was deleted.</source>
            <translation>Nichts wurde gelöscht.</translation>
        </message>
        <message>
            <source>%1 is in the trash.</source>
            <translation>%1 ist im Papierkorb.</translation>
        </message>
        <message>
            <source>%1 runs are in the trash.</source>
            <translation>%1 Läufe sind im Papierkorb.</translation>
        </message>
        <message>
            <source>Close it (Run, Close this run), then delete it.</source>
            <translation>Zuerst schließen (Lauf, Diesen Lauf schließen), dann löschen.</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <source>Not all is back.</source>
            <translation>Nicht alles ist zurück.</translation>
        </message>
        <message>
            <source>List</source>
            <translation>Liste</translation>
        </message>
        <message>
            <source>Axes</source>
            <translation>Achsen</translation>
        </message>
        <message>
            <source>Show the runs as</source>
            <translation>Läufe zeigen als</translation>
        </message>
        <message>
            <source>A list, or an axis for each setting and result with a line for each run</source>
            <translation>Eine Liste, oder eine Achse je Einstellung und Ergebnis mit einer Linie je Lauf</translation>
        </message>
        <message>
            <source>Open its job</source>
            <translation>Seinen Job öffnen</translation>
        </message>
        <message>
            <source>A copy of its job file, to be changed and launched anew (Ctrl+J)</source>
            <translation>Eine Kopie seiner Jobdatei, zum Ändern und Neustarten (Strg+J)</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsPlaceBar</name>
        <message>
            <source>Change …</source>
            <translation>Ändern …</translation>
        </message>
        <message>
            <source>Choose one folder for the runs of all jobs, here and on the terminal</source>
            <translation>Einen Ordner für die Läufe aller Jobs wählen, hier und im Terminal</translation>
        </message>
        <message>
            <source>Beside the job file</source>
            <translation>Neben der Jobdatei</translation>
        </message>
        <message>
            <source>Runs lie beside their job files again</source>
            <translation>Läufe liegen wieder neben ihren Jobdateien</translation>
        </message>
        <message>
            <source>Open folder</source>
            <translation>Ordner öffnen</translation>
        </message>
        <message>
            <source>New runs: %1 (%2)</source>
            <translation>Neue Läufe: %1 (%2)</translation>
        </message>
        <message>
            <source>Show it in the file manager</source>
            <translation>Im Dateimanager anzeigen</translation>
        </message>
        <message>
            <source>It is made with the first run</source>
            <translation>Er wird mit dem ersten Lauf angelegt</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SampleGrid</name>
        <message>
            <source>Sample predictions</source>
            <translation>Vorhersagen für Beispiele</translation>
        </message>
        <message>
            <source>No samples yet</source>
            <translation>Noch keine Beispiele</translation>
        </message>
        <message>
            <source>Sample %1: %2, recognised with %3</source>
            <translation>Beispiel %1: %2, erkannt mit %3</translation>
        </message>
        <message>
            <source>Sample %1: %2, taken for %3 with %4</source>
            <translation>Beispiel %1: %2, für %3 gehalten mit %4</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SamplePager</name>
        <message>
            <source>All samples</source>
            <translation>Alle Beispiele</translation>
        </message>
        <message>
            <source>Compute what this checkpoint says of every sample, and show them all</source>
            <translation>Berechnen, was dieser Checkpoint zu jedem Beispiel sagt, und alle anzeigen</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>The samples before</source>
            <translation>Vorige Beispiele</translation>
        </message>
        <message>
            <source>The next samples</source>
            <translation>Nächste Beispiele</translation>
        </message>
        <message>
            <source>Reading …</source>
            <translation>Wird gelesen …</translation>
        </message>
        <message>
            <source>Computing … %1 of %2</source>
            <translation>Wird berechnet … %1 von %2</translation>
        </message>
        <message>
            <source>none</source>
            <translation>keine</translation>
        </message>
        <message>
            <source>%1–%2 of %3</source>
            <translation>%1–%2 von %3</translation>
        </message>
        <message>
            <source>Compare the answers with those of another checkpoint</source>
            <translation>Die Antworten mit denen eines anderen Checkpoints vergleichen</translation>
        </message>
        <message>
            <source>Compare with …</source>
            <translation>Vergleichen mit …</translation>
        </message>
        <message>
            <source>Which answers differ</source>
            <translation>Welche Antworten sich unterscheiden</translation>
        </message>
        <message>
            <source>Right there, wrong here</source>
            <translation>Dort richtig, hier falsch</translation>
        </message>
        <message>
            <source>Wrong there, right here</source>
            <translation>Dort falsch, hier richtig</translation>
        </message>
        <message>
            <source>with step %1: %2</source>
            <translation>mit Schritt %1: %2</translation>
        </message>
        <message>
            <source>right at step %1, wrong here</source>
            <translation>bei Schritt %1 richtig, hier falsch</translation>
        </message>
        <message>
            <source>wrong at step %1, right here</source>
            <translation>bei Schritt %1 falsch, hier richtig</translation>
        </message>
        <message>
            <source>Forgotten since</source>
            <translation>Seitdem vergessen</translation>
        </message>
        <message>
            <source>Learnt since</source>
            <translation>Seitdem gelernt</translation>
        </message>
        <message>
            <source>with the one before, step %1: %2</source>
            <translation>mit dem davor, Schritt %1: %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SamplesCard</name>
        <message>
            <source>Samples</source>
            <translation>Beispiele</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Samples of each class</source>
            <translation>Beispiele je Klasse</translation>
        </message>
        <message>
            <source>Reading the data …</source>
            <translation>Daten werden gelesen …</translation>
        </message>
        <message>
            <source>Reading the data … %1 of %2 images</source>
            <translation>Daten werden gelesen … %1 von %2 Bildern</translation>
        </message>
        <message>
            <source>Reading the data … %1 prepared</source>
            <translation>Daten werden gelesen … %1 vorbereitet</translation>
        </message>
        <message>
            <source>What decides these samples was changed since they were read.</source>
            <translation>Was diese Beispiele bestimmt, hat sich seit dem Lesen geändert.</translation>
        </message>
        <message>
            <source>Counts of the classes, what is skipped, and images as training will see them. Reading all of the data may take a while.</source>
            <translation>Die Anzahl je Klasse, was übersprungen wird, und Bilder, wie das Training sie sieht. Alle Daten zu lesen kann eine Weile dauern.</translation>
        </message>
        <message>
            <source>Show samples</source>
            <translation>Beispiele anzeigen</translation>
        </message>
        <message>
            <source>Read again</source>
            <translation>Neu lesen</translation>
        </message>
        <message>
            <source>The reading was stopped: the job's data were changed meanwhile.</source>
            <translation>Das Lesen wurde abgebrochen: Die Daten des Jobs wurden inzwischen geändert.</translation>
        </message>
        <message>
            <source>The reading was stopped when the page was left.</source>
            <translation>Das Lesen wurde beim Verlassen der Seite abgebrochen.</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1: %2</translation>
        </message>
        <message>
            <source>Class</source>
            <translation>Klasse</translation>
        </message>
        <message>
            <source>all</source>
            <translation>alle</translation>
        </message>
        <message>
            <source>%1 %2, the rest %3</source>
            <translation>%1 %2, der Rest %3</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ScoreDelegate</name>
        <message>
            <source>best</source>
            <translation>Bestwert</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SettingColumns</name>
        <message>
            <source>Columns</source>
            <translation>Spalten</translation>
        </message>
        <message>
            <source>Which settings of the jobs are shown</source>
            <translation>Welche Einstellungen der Jobs angezeigt werden</translation>
        </message>
        <message>
            <source>No room for: %1</source>
            <translation>Kein Platz für: %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ShareRun</name>
        <message>
            <source>Writing …</source>
            <translation>Wird geschrieben …</translation>
        </message>
        <message>
            <source>Share …</source>
            <translation>Teilen …</translation>
        </message>
        <message>
            <source>Page (*.html)</source>
            <translation>Seite (*.html)</translation>
        </message>
        <message>
            <source>The page was not written.</source>
            <translation>Die Seite wurde nicht geschrieben.</translation>
        </message>
        <message>
            <source>The run was written to %1.</source>
            <translation>Der Lauf wurde in %1 geschrieben.</translation>
        </message>
        <message>
            <source>One page with its curves, scores and job file, which opens in any browser.</source>
            <translation>Eine Seite mit Kurven, Bewertungen und Jobdatei, die sich in jedem Browser öffnen lässt.</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>Show in folder</source>
            <translation>Im Ordner anzeigen</translation>
        </message>
        <message>
            <source>Writing the timeline … %1</source>
            <translation>Zeitachse wird geschrieben … %1</translation>
        </message>
        <message>
            <source>Timeline for ui.perfetto.dev (*%1)</source>
            <translation>Zeitachse für ui.perfetto.dev (*%1)</translation>
        </message>
        <message>
            <source>Share the run</source>
            <translation>Den Lauf weitergeben</translation>
        </message>
        <message>
            <source>%1 is there already.</source>
            <translation>%1 gibt es schon.</translation>
        </message>
        <message>
            <source>The timeline of this run would take its place.</source>
            <translation>Die Datei würde durch die Zeitachse dieses Laufs ersetzt.</translation>
        </message>
        <message>
            <source>Replace it</source>
            <translation>Ersetzen</translation>
        </message>
        <message>
            <source>Writing the timeline …</source>
            <translation>Zeitachse wird geschrieben …</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>The timeline was given up; nothing was written.</source>
            <translation>Die Zeitachse wurde aufgegeben; nichts wurde geschrieben.</translation>
        </message>
        <message>
            <source>The timeline was not written.</source>
            <translation>Die Zeitachse wurde nicht geschrieben.</translation>
        </message>
        <message>
            <source>Open it at ui.perfetto.dev, which reads it in the browser.</source>
            <translation>Zu öffnen unter ui.perfetto.dev, das sie im Browser liest.</translation>
        </message>
        <message>
            <source>The timeline of the run was written to %1 (%2).</source>
            <translation>Die Zeitachse des Laufs wurde nach %1 geschrieben (%2).</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SmoothingControl</name>
        <message>
            <source>Smoothing</source>
            <translation>Glättung</translation>
        </message>
        <message>
            <source>Weight of the past in the drawn mean; the raw line stays visible behind</source>
            <translation>Gewicht der Vergangenheit im gezeichneten Mittel; die ungeglättete Linie bleibt dahinter sichtbar</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::Sparkline</name>
        <message>
            <source>Last values</source>
            <translation>Letzte Werte</translation>
        </message>
        <message>
            <source>newest %1</source>
            <translation>neuester Wert %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StatePill</name>
        <message>
            <source>State</source>
            <translation>Zustand</translation>
        </message>
        <message>
            <source>State: %1</source>
            <translation>Zustand: %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StatusLine</name>
        <message>
            <source>%1 samples/s</source>
            <translation>%1 Beispiele/s</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StuckNotice</name>
        <message>
            <source>Wait longer</source>
            <translation>Länger warten</translation>
        </message>
        <message>
            <source>End now</source>
            <translation>Jetzt beenden</translation>
        </message>
        <message>
            <source>The run ends in %1 s.</source>
            <translation>Der Lauf endet in %1 s.</translation>
        </message>
        <message>
            <source>It restarts from its newest step, kept in memory, in %1 s.</source>
            <translation>Neustart in %1 s ab dem neuesten Schritt, der im Speicher liegt.</translation>
        </message>
        <message>
            <source>It restarts from its newest checkpoint in %1 s.</source>
            <translation>Neustart in %1 s ab dem neuesten Checkpoint.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TextDetails</name>
        <message>
            <source>Text that the network wrote</source>
            <translation>Text, den das Netz geschrieben hat</translation>
        </message>
        <message>
            <source>This evaluation has no text.</source>
            <translation>Diese Auswertung hat keinen Text.</translation>
        </message>
        <message>
            <source>The beginning, in pale, was given; the rest was written by the network, at temperature %1.</source>
            <translation>Der blasse Anfang war vorgegeben; den Rest hat das Netz geschrieben, bei Temperatur %1.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TimeBar</name>
        <message>
            <source>Speed</source>
            <translation>Tempo</translation>
        </message>
        <message>
            <source>How many seconds of the run are played in one</source>
            <translation>Wie viele Sekunden des Laufs in einer abgespielt werden</translation>
        </message>
        <message>
            <source>× %1</source>
            <translation>× %1</translation>
        </message>
        <message>
            <source>Timeline of the run</source>
            <translation>Zeitachse des Laufs</translation>
        </message>
        <message>
            <source>%1, step %2: %3</source>
            <translation>%1, Schritt %2: %3</translation>
        </message>
        <message>
            <source>Drag to see the run as it was; a mark says what happened there</source>
            <translation>Ziehen zeigt den Lauf, wie er war; eine Marke sagt, was dort geschah</translation>
        </message>
        <message>
            <source>Drag to see the run as it was. Marks that have no room: %1</source>
            <translation>Ziehen zeigt den Lauf, wie er war. Marken ohne Platz: %1</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Pause</translation>
        </message>
        <message>
            <source>Play</source>
            <translation>Abspielen</translation>
        </message>
        <message>
            <source>Play the run from here; from now, its beginning</source>
            <translation>Den Lauf von hier abspielen; vom Jetzt aus von seinem Anfang</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TimeTravel</name>
        <message>
            <source>No timeline: %1</source>
            <translation>Keine Zeitachse: %1</translation>
        </message>
        <message>
            <source>Reading the timeline … %1</source>
            <translation>Zeitachse wird gelesen … %1</translation>
        </message>
        <message>
            <source>Meanwhile: %1</source>
            <translation>Inzwischen: %1</translation>
        </message>
        <message>
            <source>Back to now (End)</source>
            <translation>Zurück zum Jetzt (Ende)</translation>
        </message>
        <message>
            <source>Now</source>
            <translation>Jetzt</translation>
        </message>
        <message>
            <source>You see %1, step %2.</source>
            <translation>Zu sehen: %1, Schritt %2.</translation>
        </message>
        <message>
            <source>%1, step %2</source>
            <translation>%1, Schritt %2</translation>
        </message>
        <message>
            <source>Reading the run up to %1, step %2 … %3</source>
            <translation>Der Lauf wird bis %1, Schritt %2, gelesen … %3</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ValueDetails</name>
        <message>
            <source>Predicted less true: %1 in the mean, deviation %2</source>
            <translation>Vorhergesagt minus tatsächlich: im Mittel %1, Standardabweichung %2</translation>
        </message>
        <message>
            <source>; half of all lie from %1 to %2, nine of ten from %3 to %4, all from %5 to %6.</source>
            <translation>; die Hälfte liegt zwischen %1 und %2, neun von zehn zwischen %3 und %4, alle zwischen %5 und %6.</translation>
        </message>
        <message>
            <source>What is predicted</source>
            <translation>Was vorhergesagt wird</translation>
        </message>
        <message>
            <source>1 more target not shown.</source>
            <translation>1 weiteres Ziel wird nicht gezeigt.</translation>
        </message>
        <message>
            <source>%1 more targets not shown.</source>
            <translation>%1 weitere Ziele werden nicht gezeigt.</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ValuePlot</name>
        <message>
            <source>Predicted against true values</source>
            <translation>Vorhergesagte und tatsächliche Werte</translation>
        </message>
        <message>
            <source>%1 values of %2, the worst off by %3</source>
            <translation>%1 Werte von %2, der schlechteste weicht um %3 ab</translation>
        </message>
        <message>
            <source>true %1, predicted %2</source>
            <translation>tatsächlich %1, vorhergesagt %2</translation>
        </message>
        <message>
            <source>%1: %2 too high</source>
            <translation>%1: um %2 zu hoch</translation>
        </message>
        <message>
            <source>%1: %2 too low</source>
            <translation>%1: um %2 zu niedrig</translation>
        </message>
        <message>
            <source>No values yet</source>
            <translation>Noch keine Werte</translation>
        </message>
        <message>
            <source>Point at a value, or use the arrow keys</source>
            <translation>Auf einen Wert zeigen oder die Pfeiltasten verwenden</translation>
        </message>
        <message>
            <source>predicted %1</source>
            <translation>%1 (vorhergesagt)</translation>
        </message>
        <message>
            <source>true %1</source>
            <translation>%1 (tatsächlich)</translation>
        </message>
        <message>
            <source>predicted less true, in steps of %1</source>
            <translation>vorhergesagt minus tatsächlich, in Stufen von %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::WindowActions</name>
        <message>
            <source>&amp;File</source>
            <translation>&amp;Datei</translation>
        </message>
        <message>
            <source>&amp;New</source>
            <translation>&amp;Neu</translation>
        </message>
        <message>
            <source>&amp;Images: the digits example</source>
            <translation>&amp;Bilder: das Ziffern-Beispiel</translation>
        </message>
        <message>
            <source>A &amp;table: what houses cost</source>
            <translation>Eine &amp;Tabelle: was Häuser kosten</translation>
        </message>
        <message>
            <source>A te&amp;xt: a tiny GPT that writes plays</source>
            <translation>Ein Te&amp;xt: ein winziges GPT, das Theaterstücke schreibt</translation>
        </message>
        <message>
            <source>A &amp;program of your own</source>
            <translation>Ein eigenes &amp;Programm</translation>
        </message>
        <message>
            <source>Several &amp;hosts, over ssh</source>
            <translation>Mehrere &amp;Hosts, über ssh</translation>
        </message>
        <message>
            <source>On a &amp;Slurm cluster</source>
            <translation>Auf einem &amp;Slurm-Cluster</translation>
        </message>
        <message>
            <source>&amp;Open job…</source>
            <translation>&amp;Job öffnen…</translation>
        </message>
        <message>
            <source>&amp;Recent jobs</source>
            <translation>&amp;Zuletzt geöffnete Jobs</translation>
        </message>
        <message>
            <source>A&amp;ttach to run folder…</source>
            <translation>Mit Lauf&amp;ordner verbinden…</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>&amp;Speichern</translation>
        </message>
        <message>
            <source>Save &amp;as…</source>
            <translation>Speichern &amp;unter…</translation>
        </message>
        <message>
            <source>Save c&amp;hart as…</source>
            <translation>&amp;Diagramm speichern unter…</translation>
        </message>
        <message>
            <source>&amp;Quit</source>
            <translation>&amp;Beenden</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>&amp;Bearbeiten</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>&amp;Rückgängig</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>&amp;Wiederholen</translation>
        </message>
        <message>
            <source>Copy c&amp;hart</source>
            <translation>&amp;Diagramm kopieren</translation>
        </message>
        <message>
            <source>&amp;Find figures, lines or runs…</source>
            <translation>Kennzahlen, Zeilen oder Läufe &amp;finden…</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>&amp;Ansicht</translation>
        </message>
        <message>
            <source>&amp;Home</source>
            <translation>Ü&amp;bersicht</translation>
        </message>
        <message>
            <source>&amp;Job</source>
            <translation>&amp;Job</translation>
        </message>
        <message>
            <source>&amp;Live</source>
            <translation>&amp;Live</translation>
        </message>
        <message>
            <source>&amp;Replicas</source>
            <translation>&amp;Replikate</translation>
        </message>
        <message>
            <source>&amp;Evaluator</source>
            <translation>&amp;Evaluator</translation>
        </message>
        <message>
            <source>L&amp;ogs</source>
            <translation>Lo&amp;gs</translation>
        </message>
        <message>
            <source>R&amp;uns</source>
            <translation>Lä&amp;ufe</translation>
        </message>
        <message>
            <source>Re&amp;fresh the runs</source>
            <translation>Läufe &amp;aktualisieren</translation>
        </message>
        <message>
            <source>&amp;Notify when another window is in front</source>
            <translation>Be&amp;nachrichtigen, wenn ein anderes Fenster vorn ist</translation>
        </message>
        <message>
            <source>&amp;Theme</source>
            <translation>&amp;Farbschema</translation>
        </message>
        <message>
            <source>As the &amp;system</source>
            <translation>Wie das &amp;System</translation>
        </message>
        <message>
            <source>&amp;Light</source>
            <translation>&amp;Hell</translation>
        </message>
        <message>
            <source>&amp;Dark</source>
            <translation>&amp;Dunkel</translation>
        </message>
        <message>
            <source>Lan&amp;guage</source>
            <translation>S&amp;prache</translation>
        </message>
        <message>
            <source>&amp;Run</source>
            <translation>&amp;Lauf</translation>
        </message>
        <message>
            <source>&amp;Check the hosts</source>
            <translation>&amp;Hosts prüfen</translation>
        </message>
        <message>
            <source>&amp;Launch</source>
            <translation>&amp;Starten</translation>
        </message>
        <message>
            <source>&amp;Resume from the newest checkpoint</source>
            <translation>Ab dem neuesten Checkpoint &amp;fortsetzen</translation>
        </message>
        <message>
            <source>&amp;Stop after this step</source>
            <translation>&amp;Nach diesem Schritt stoppen</translation>
        </message>
        <message>
            <source>&amp;End the processes now</source>
            <translation>&amp;Prozesse sofort beenden</translation>
        </message>
        <message>
            <source>&amp;Drill…</source>
            <translation>Ü&amp;bung…</translation>
        </message>
        <message>
            <source>&amp;Close this run</source>
            <translation>&amp;Diesen Lauf schließen</translation>
        </message>
        <message>
            <source>Stop watching; a detached run goes on by itself</source>
            <translation>Nicht mehr verfolgen; ein abgekoppelter Lauf (detached) läuft von selbst weiter</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>&amp;Hilfe</translation>
        </message>
        <message>
            <source>&amp;About Lockstep</source>
            <translation>Ü&amp;ber Lockstep</translation>
        </message>
        <message>
            <source>&amp;Undo %1</source>
            <translation>&amp;Rückgängig: %1</translation>
        </message>
        <message>
            <source>&amp;Redo %1</source>
            <translation>&amp;Wiederholen: %1</translation>
        </message>
        <message>
            <source>&amp;Keys and gestures</source>
            <translation>&amp;Tasten und Gesten</translation>
        </message>
        <message>
            <source>Images in &amp;folders of your own</source>
            <translation>Bilder in eigenen &amp;Ordnern</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::XAxisControl</name>
        <message>
            <source>X axis</source>
            <translation>X-Achse</translation>
        </message>
        <message>
            <source>What the x axis counts</source>
            <translation>Was die x-Achse zählt</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>Epochs</source>
            <translation>Epochen</translation>
        </message>
        <message>
            <source>Relative time</source>
            <translation>Relative Zeit</translation>
        </message>
        <message>
            <source>Time of day</source>
            <translation>Uhrzeit</translation>
        </message>
        <message>
            <source>With the pauses between the starts of a run</source>
            <translation>Mit den Pausen zwischen den Starts eines Laufs</translation>
        </message>
        <message>
            <source>Log x</source>
            <translation>Log x</translation>
        </message>
        <message>
            <source>X axis: logarithmic scale</source>
            <translation>X-Achse: logarithmische Skala</translation>
        </message>
        <message>
            <source>The time of day has no logarithmic scale</source>
            <translation>Die Uhrzeit hat keine logarithmische Skala</translation>
        </message>
        <message>
            <source>Logarithmic scale of the x axis</source>
            <translation>Logarithmische Skala der x-Achse</translation>
        </message>
        <message>
            <source>What is shown here says nothing of epochs: steps are shown</source>
            <translation>Was hier gezeigt wird, kennt keine Epochen; gezeigt werden Schritte</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StepTimeline</name>
        <message>
            <source>the rest</source>
            <translation>das Übrige</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>Show each step with its phases, of all processes on one clock, instead of the heartbeats</source>
            <translation>Jeden Schritt mit seinen Phasen zeigen, aller Prozesse auf einer Uhr, statt der Heartbeats</translation>
        </message>
        <message>
            <source>Show steps instead of heartbeats</source>
            <translation>Schritte statt Heartbeats zeigen</translation>
        </message>
        <message>
            <source>No step was reported</source>
            <translation>Es wurde kein Schritt gemeldet</translation>
        </message>
        <message>
            <source>Spans appear with the first step</source>
            <translation>Abschnitte erscheinen mit dem ersten Schritt</translation>
        </message>
        <message>
            <source>%1, replica %2</source>
            <translation>%1, Replikat %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TimelineChart</name>
        <message>
            <source>Steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>Older ones: drag the slider below</source>
            <translation>Ältere: am Schieberegler unten</translation>
        </message>
        <message>
            <source>checkpoints</source>
            <translation>Checkpoints</translation>
        </message>
        <message>
            <source>%1 was lost: %2</source>
            <translation>%1 ging verloren: %2</translation>
        </message>
        <message>
            <source>the run was started again at %1</source>
            <translation>der Lauf wurde um %1 neu gestartet</translation>
        </message>
        <message>
            <source>%1, steps %2 to %3: mostly %4</source>
            <translation>%1, Schritte %2 bis %3: meist %4</translation>
        </message>
        <message>
            <source>%1, step %2: %3 for %4 of %5</source>
            <translation>%1, Schritt %2: %3 dauerte %4 von %5</translation>
        </message>
        <message>
            <source>checkpoint of step %1, written within %2</source>
            <translation>Checkpoint von Schritt %1, geschrieben in %2</translation>
        </message>
        <message>
            <source>processors</source>
            <translation>Prozessoren</translation>
        </message>
        <message>
            <source>memory</source>
            <translation>Speicher</translation>
        </message>
        <message>
            <source>GPUs</source>
            <translation>GPUs</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1, %2</translation>
        </message>
        <message>
            <source>%1 at %2</source>
            <translation>%1 um %2</translation>
        </message>
        <message>
            <source>%1: %2, of at most %3</source>
            <translation>%1: %2, von höchstens %3</translation>
        </message>
        <message>
            <source>%1: from %2 (%3) to %4 (%5)</source>
            <translation>%1: von %2 (%3) bis %4 (%5)</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::KeyList</name>
        <message>
            <source>Everywhere</source>
            <translation>Überall</translation>
        </message>
        <message>
            <source>Ctrl+0 … Ctrl+6</source>
            <translation>Strg+0 … Strg+6</translation>
        </message>
        <message>
            <source>Home, Job, Live, Replicas, Evaluator, Logs, Runs</source>
            <translation>Übersicht, Job, Live, Replikate, Evaluator, Logs, Läufe</translation>
        </message>
        <message>
            <source>Ctrl+L</source>
            <translation>Strg+L</translation>
        </message>
        <message>
            <source>Launch the job</source>
            <translation>Den Job starten</translation>
        </message>
        <message>
            <source>Ctrl+Shift+L</source>
            <translation>Strg+Umschalt+L</translation>
        </message>
        <message>
            <source>Resume from the newest checkpoint</source>
            <translation>Vom neuesten Checkpoint fortsetzen</translation>
        </message>
        <message>
            <source>Ctrl+.</source>
            <translation>Strg+.</translation>
        </message>
        <message>
            <source>Stop after this step</source>
            <translation>Nach diesem Schritt stoppen</translation>
        </message>
        <message>
            <source>Ctrl+K</source>
            <translation>Strg+K</translation>
        </message>
        <message>
            <source>Check the hosts</source>
            <translation>Die Hosts prüfen</translation>
        </message>
        <message>
            <source>Ctrl+D</source>
            <translation>Strg+D</translation>
        </message>
        <message>
            <source>A drill: a fault on purpose</source>
            <translation>Eine Übung: ein absichtlicher Fehler</translation>
        </message>
        <message>
            <source>Ctrl+W</source>
            <translation>Strg+W</translation>
        </message>
        <message>
            <source>Close this run</source>
            <translation>Diesen Lauf schließen</translation>
        </message>
        <message>
            <source>Ctrl+F</source>
            <translation>Strg+F</translation>
        </message>
        <message>
            <source>Find figures on Live, runs on Runs, else lines of the log</source>
            <translation>Kennzahlen auf „Live“ finden, Läufe auf „Läufe“, sonst Zeilen des Logs</translation>
        </message>
        <message>
            <source>Read the runs folder again</source>
            <translation>Den Ordner der Läufe neu lesen</translation>
        </message>
        <message>
            <source>These keys</source>
            <translation>Diese Tasten</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>Job</translation>
        </message>
        <message>
            <source>Ctrl+Z</source>
            <translation>Strg+Z</translation>
        </message>
        <message>
            <source>Ctrl+Shift+Z</source>
            <translation>Strg+Umschalt+Z</translation>
        </message>
        <message>
            <source>Undo and redo, in the form and in the text</source>
            <translation>Rückgängig machen und wiederholen, im Formular und im Text</translation>
        </message>
        <message>
            <source>Insert</source>
            <translation>Einfg</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Entf</translation>
        </message>
        <message>
            <source>Table of hosts: add a row, remove it</source>
            <translation>Tabelle der Hosts: Zeile hinzufügen, entfernen</translation>
        </message>
        <message>
            <source>Alt+Up</source>
            <translation>Alt+Auf</translation>
        </message>
        <message>
            <source>Alt+Down</source>
            <translation>Alt+Ab</translation>
        </message>
        <message>
            <source>Table of hosts: move the row</source>
            <translation>Tabelle der Hosts: Zeile verschieben</translation>
        </message>
        <message>
            <source>Enter</source>
            <translation>Eingabe</translation>
        </message>
        <message>
            <source>Table of hosts: edit the cell</source>
            <translation>Tabelle der Hosts: Zelle bearbeiten</translation>
        </message>
        <message>
            <source>Down</source>
            <translation>Ab</translation>
        </message>
        <message>
            <source>While a host is typed: the names of the ssh settings</source>
            <translation>Beim Tippen eines Hosts: die Namen der ssh-Einstellungen</translation>
        </message>
        <message>
            <source>Ctrl+wheel</source>
            <translation>Strg+Mausrad</translation>
        </message>
        <message>
            <source>On a mark: the checkpoint's score, or that moment of the run</source>
            <translation>Auf eine Marke: die Bewertung des Checkpoints, oder jener Moment des Laufs</translation>
        </message>
        <message>
            <source>Steps: zoom and pan</source>
            <translation>Schritte: zoomen und verschieben</translation>
        </message>
        <message>
            <source>Picture of the network: zoom</source>
            <translation>Bild des Netzes: zoomen</translation>
        </message>
        <message>
            <source>Picture of the network: show all</source>
            <translation>Bild des Netzes: alles zeigen</translation>
        </message>
        <message>
            <source>Up</source>
            <translation>Auf</translation>
        </message>
        <message>
            <source>Picture of the network: from layer to layer</source>
            <translation>Bild des Netzes: von Schicht zu Schicht</translation>
        </message>
        <message>
            <source>Right</source>
            <translation>Rechts</translation>
        </message>
        <message>
            <source>Left</source>
            <translation>Links</translation>
        </message>
        <message>
            <source>Picture of the network: open and close a block</source>
            <translation>Bild des Netzes: Block aus- und einklappen</translation>
        </message>
        <message>
            <source>Charts</source>
            <translation>Diagramme</translation>
        </message>
        <message>
            <source>Wheel</source>
            <translation>Mausrad</translation>
        </message>
        <message>
            <source>Zoom time; the y axis fits what is shown</source>
            <translation>Zeit zoomen; die y-Achse passt sich dem Gezeigten an</translation>
        </message>
        <message>
            <source>Wheel over the y axis</source>
            <translation>Mausrad über der y-Achse</translation>
        </message>
        <message>
            <source>Zoom y alone</source>
            <translation>Nur y zoomen</translation>
        </message>
        <message>
            <source>Drag</source>
            <translation>Ziehen</translation>
        </message>
        <message>
            <source>Choose a range</source>
            <translation>Einen Bereich wählen</translation>
        </message>
        <message>
            <source>Ctrl+drag</source>
            <translation>Strg+Ziehen</translation>
        </message>
        <message>
            <source>Choose a box</source>
            <translation>Ein Rechteck wählen</translation>
        </message>
        <message>
            <source>Space+drag</source>
            <translation>Leertaste+Ziehen</translation>
        </message>
        <message>
            <source>Shift+drag</source>
            <translation>Umschalt+Ziehen</translation>
        </message>
        <message>
            <source>Middle button</source>
            <translation>Mittlere Maustaste</translation>
        </message>
        <message>
            <source>Arrow keys</source>
            <translation>Pfeiltasten</translation>
        </message>
        <message>
            <source>Pan</source>
            <translation>Verschieben</translation>
        </message>
        <message>
            <source>Double click</source>
            <translation>Doppelklick</translation>
        </message>
        <message>
            <source>Show all</source>
            <translation>Alles zeigen</translation>
        </message>
        <message>
            <source>Logarithmic y axis</source>
            <translation>Logarithmische y-Achse</translation>
        </message>
        <message>
            <source>Ctrl+click</source>
            <translation>Strg+Klick</translation>
        </message>
        <message>
            <source>On a curve's name: this curve alone</source>
            <translation>Auf den Namen einer Kurve: nur diese Kurve</translation>
        </message>
        <message>
            <source>Ctrl+Shift+C</source>
            <translation>Strg+Umschalt+C</translation>
        </message>
        <message>
            <source>Ctrl+Shift+E</source>
            <translation>Strg+Umschalt+E</translation>
        </message>
        <message>
            <source>Copy the chart, save it</source>
            <translation>Das Diagramm kopieren, speichern</translation>
        </message>
        <message>
            <source>Leave a chart that fills the page</source>
            <translation>Ein Diagramm verlassen, das die Seite füllt</translation>
        </message>
        <message>
            <source>Named figures</source>
            <translation>Benannte Kennzahlen</translation>
        </message>
        <message>
            <source>Pin: before all others, or no longer</source>
            <translation>Anheften: vor allen anderen, oder nicht mehr</translation>
        </message>
        <message>
            <source>Hide</source>
            <translation>Ausblenden</translation>
        </message>
        <message>
            <source>Alt+Left</source>
            <translation>Alt+Links</translation>
        </message>
        <message>
            <source>Alt+Right</source>
            <translation>Alt+Rechts</translation>
        </message>
        <message>
            <source>Move</source>
            <translation>Verschieben</translation>
        </message>
        <message>
            <source>Replicas, as a map</source>
            <translation>Replikate als Karte</translation>
        </message>
        <message>
            <source>From cell to cell</source>
            <translation>Von Zelle zu Zelle</translation>
        </message>
        <message>
            <source>Click</source>
            <translation>Klick</translation>
        </message>
        <message>
            <source>Open the replica</source>
            <translation>Das Replikat öffnen</translation>
        </message>
        <message>
            <source>Close it</source>
            <translation>Es schließen</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>Evaluator</translation>
        </message>
        <message>
            <source>From cell to cell, class to class, sample to sample</source>
            <translation>Von Zelle zu Zelle, Klasse zu Klasse, Beispiel zu Beispiel</translation>
        </message>
        <message>
            <source>Cell or class: its samples; sample: across all checkpoints</source>
            <translation>Zelle oder Klasse: ihre Beispiele; Beispiel: über alle Checkpoints</translation>
        </message>
        <message>
            <source>Confusion matrix: zoom</source>
            <translation>Konfusionsmatrix: zoomen</translation>
        </message>
        <message>
            <source>Confusion matrix: show all</source>
            <translation>Konfusionsmatrix: alles zeigen</translation>
        </message>
        <message>
            <source>Close the sample's checkpoints</source>
            <translation>Die Checkpoints des Beispiels schließen</translation>
        </message>
        <message>
            <source>Logs</source>
            <translation>Logs</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>Suchen</translation>
        </message>
        <message>
            <source>Next match</source>
            <translation>Nächster Treffer</translation>
        </message>
        <message>
            <source>Shift+Enter</source>
            <translation>Umschalt+Eingabe</translation>
        </message>
        <message>
            <source>Shift+F3</source>
            <translation>Umschalt+F3</translation>
        </message>
        <message>
            <source>Match before</source>
            <translation>Voriger Treffer</translation>
        </message>
        <message>
            <source>End a long search; what was found stays</source>
            <translation>Eine lange Suche beenden; das Gefundene bleibt</translation>
        </message>
        <message>
            <source>Unfold a traceback, fold it</source>
            <translation>Einen Traceback aus- und einklappen</translation>
        </message>
        <message>
            <source>Ctrl+G</source>
            <translation>Strg+G</translation>
        </message>
        <message>
            <source>Go to a line or a time: 12000, 14:05, 14:05:12</source>
            <translation>Zu einer Zeile oder Zeit gehen: 12000, 14:05, 14:05:12</translation>
        </message>
        <message>
            <source>Click on a time</source>
            <translation>Klick auf eine Zeit</translation>
        </message>
        <message>
            <source>Put the charts' crosshair there</source>
            <translation>Das Fadenkreuz der Diagramme dorthin setzen</translation>
        </message>
        <message>
            <source>Ctrl+Enter</source>
            <translation>Strg+Eingabe</translation>
        </message>
        <message>
            <source>The same, and show Live</source>
            <translation>Dasselbe, und „Live“ zeigen</translation>
        </message>
        <message>
            <source>Ctrl+C</source>
            <translation>Strg+C</translation>
        </message>
        <message>
            <source>Copy the chosen lines, or all that are shown</source>
            <translation>Die gewählten Zeilen kopieren, oder alle gezeigten</translation>
        </message>
        <message>
            <source>Slider of the past</source>
            <translation>Schieber der Vergangenheit</translation>
        </message>
        <message>
            <source>Click on a mark</source>
            <translation>Klick auf eine Marke</translation>
        </message>
        <message>
            <source>Show the run as it was then</source>
            <translation>Den Lauf zeigen, wie er damals war</translation>
        </message>
        <message>
            <source>The report of a step before, the next one</source>
            <translation>Die Meldung eines Schritts davor, die nächste</translation>
        </message>
        <message>
            <source>Page Up</source>
            <translation>Bild auf</translation>
        </message>
        <message>
            <source>Page Down</source>
            <translation>Bild ab</translation>
        </message>
        <message>
            <source>A twentieth of the run</source>
            <translation>Ein Zwanzigstel des Laufs</translation>
        </message>
        <message>
            <source>Home</source>
            <translation>Pos1</translation>
        </message>
        <message>
            <source>Its beginning</source>
            <translation>Sein Anfang</translation>
        </message>
        <message>
            <source>End</source>
            <translation>Ende</translation>
        </message>
        <message>
            <source>Now; anywhere in the window</source>
            <translation>Jetzt; überall im Fenster</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>Läufe</translation>
        </message>
        <message>
            <source>Open the run</source>
            <translation>Den Lauf öffnen</translation>
        </message>
        <message>
            <source>Shift+click</source>
            <translation>Umschalt+Klick</translation>
        </message>
        <message>
            <source>Choose several runs</source>
            <translation>Mehrere Läufe wählen</translation>
        </message>
        <message>
            <source>Compare the chosen runs; one alone with the best</source>
            <translation>Die gewählten Läufe vergleichen; einen allein mit dem besten</translation>
        </message>
        <message>
            <source>Ctrl+J</source>
            <translation>Strg+J</translation>
        </message>
        <message>
            <source>Open a copy of its job</source>
            <translation>Eine Kopie seines Jobs öffnen</translation>
        </message>
        <message>
            <source>Name, tags and note</source>
            <translation>Name, Tags und Notiz</translation>
        </message>
        <message>
            <source>To the trash; Undo takes them back</source>
            <translation>In den Papierkorb; Rückgängig holt sie zurück</translation>
        </message>
        <message>
            <source>Space</source>
            <translation>Leertaste</translation>
        </message>
        <message>
            <source>In a comparison: hide and show a run's curves</source>
            <translation>In einem Vergleich: die Kurven eines Laufs aus- und einblenden</translation>
        </message>
        <message>
            <source>Runs, as axes</source>
            <translation>Läufe als Achsen</translation>
        </message>
        <message>
            <source>Drag along an axis</source>
            <translation>Ziehen entlang einer Achse</translation>
        </message>
        <message>
            <source>Choose the runs that pass there</source>
            <translation>Die Läufe wählen, die dort verlaufen</translation>
        </message>
        <message>
            <source>Choose a run; one more</source>
            <translation>Einen Lauf wählen; einen weiteren</translation>
        </message>
        <message>
            <source>From axis to axis</source>
            <translation>Von Achse zu Achse</translation>
        </message>
        <message>
            <source>From run to run</source>
            <translation>Von Lauf zu Lauf</translation>
        </message>
        <message>
            <source>Choose the run</source>
            <translation>Den Lauf wählen</translation>
        </message>
        <message>
            <source>Give the ranges up</source>
            <translation>Die Bereiche aufgeben</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::KeysDialog</name>
        <message>
            <source>Keys and gestures</source>
            <translation>Tasten und Gesten</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Schließen</translation>
        </message>
    </context>
</TS>
